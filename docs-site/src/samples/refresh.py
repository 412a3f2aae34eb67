import json
import os

import requests

session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['DEVDATA_API_KEY']}"
copy = {"version": None, "user": {}, "repository": {}}
if os.path.exists("copy.json"):
    with open("copy.json", encoding="utf-8") as file:
        copy = json.load(file)


def read_pages(path):
    url = "{base_url}" + path
    while url:
        response = session.get(url)
        if not response.ok:
            raise SystemExit(response.text)
        yield response.json()["data"], response.headers["X-Dataset-Version"]
        url = response.links.get("next", {}).get("url")


since = copy["version"]
changes = "" if since is None else f"&changed_since={since}"
version = None
paid = 0
for path, kept in [("/users", copy["user"]), ("/repos", copy["repository"])]:
    for items, page_version in read_pages(f"{path}?per_page=100{changes}"):
        version = version or page_version
        paid += len(items)
        kept.update({str(item["forge_rest_id"]): item for item in items})
if since is not None:
    for items, _ in read_pages(f"/removals?per_page=100&since={since}"):
        for item in items:
            copy[item["kind"]].pop(str(item["forge_rest_id"]), None)

copy["version"] = version
with open("copy.json.new", "w", encoding="utf-8") as file:
    json.dump(copy, file)
os.replace("copy.json.new", "copy.json")
users, repositories = len(copy["user"]), len(copy["repository"])
print(f"{users} users, {repositories} repositories, paid {paid} credits")
