import csv
import os

import requests

session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['DEVDATA_API_KEY']}"
fields = ["login", "name", "email", "company", "location"]
query = {
    "country": "DE",
    "dependency_names": "react",
    "dependency_status": "active",
    "per_page": 100,
}
count = 0

with open("users.csv", "w", encoding="utf-8", newline="") as file:
    writer = csv.DictWriter(file, fields, extrasaction="ignore")
    writer.writeheader()
    response = session.get("{base_url}/users", params=query)
    while True:
        if not response.ok:
            raise SystemExit(response.text)
        users = response.json()["data"]
        writer.writerows(users)
        count += len(users)
        if "next" not in response.links:
            break
        response = session.get(response.links["next"]["url"])

print(f"users.csv: {count} users")
