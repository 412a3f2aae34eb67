import os

import requests

session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['DEVDATA_API_KEY']}"
budget = 60
url = "{base_url}/users?location=berlin&per_page=20"

quote = session.head(url)
quote.raise_for_status()
total = int(quote.headers["X-Total-Count"])
if total > budget:
    raise SystemExit(f"The list costs {total} credits, and the budget is {budget}")

spent = 0
while url:
    response = session.get(url, headers={"Max-Credits": str(budget - spent)})
    if not response.ok:
        raise SystemExit(response.text)
    spent += int(response.headers["X-Credits-Cost"])
    print(f"{len(response.json()['data'])} users, {budget - spent} credits left")
    url = response.links.get("next", {}).get("url")
