import os

import requests

url = "{base_url}/users/ngoldberg"
session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['DEVDATA_API_KEY']}"
kept = {"etag": None, "user": None}


def read_user():
    headers = {"If-None-Match": kept["etag"]} if kept["etag"] else {}
    response = session.get(url, headers=headers)
    if not response.ok:
        raise SystemExit(response.text)
    print(f"{response.status_code}, cost {response.headers['X-Credits-Cost']}")
    if response.status_code == 304:
        return kept["user"]
    kept["etag"] = response.headers["ETag"]
    kept["user"] = response.json()
    return kept["user"]


print(read_user()["name"])
print(read_user()["name"])
