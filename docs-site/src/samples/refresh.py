import json
import os
import time

import requests

session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['DEVDATA_API_KEY']}"
copy = {"version": None, "user": {}, "repository": {}}
if os.path.exists("copy.json"):
    with open("copy.json", encoding="utf-8") as file:
        copy = json.load(file)


def get(url, tries=7):
    headers = {"Idempotency-Key": url}  # the same in the next run
    for attempt in range(1, tries + 1):
        response = session.get(url, headers=headers, timeout=30)
        if response.ok:
            return response
        after = response.headers.get("Retry-After", "")
        if not after.isdigit() or attempt == tries:
            raise SystemExit(response.text)
        time.sleep(int(after))


def read_pages(path):
    url = "{base_url}" + path
    while url:
        response = get(url)
        yield response.json()["data"], response.headers
        url = response.links.get("next", {}).get("url")


since = copy["version"]
changes = "" if since is None else f"&changed_since={since}"
version = None
paid = 0
for path, kept in [("/users", copy["user"]), ("/repos", copy["repository"])]:
    for items, headers in read_pages(f"{path}?per_page=100{changes}"):
        version = version or headers["X-Dataset-Version"]
        paid += int(headers.get("X-Credits-Cost", 0))
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
