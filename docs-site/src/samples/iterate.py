import os

import requests

session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['DEVDATA_API_KEY']}"
url = "{base_url}/users?location=berlin&dependency_names=zod&per_page=5"

while url:
    response = session.get(url)
    if not response.ok:
        raise SystemExit(response.text)
    for user in response.json()["data"]:
        print(user["login"])
    url = response.links.get("next", {}).get("url")
