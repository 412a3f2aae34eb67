import os
import uuid

import requests

headers = {
    "Authorization": f"Bearer {os.environ['DEVDATA_API_KEY']}",
    "Idempotency-Key": str(uuid.uuid4()),
}

for attempt in ["first", "second"]:
    response = requests.get("{base_url}/users?location=berlin&per_page=100", headers=headers)
    if not response.ok:
        raise SystemExit(response.text)
    users = response.json()["data"]
    print(f"{attempt}: {len(users)} users, cost {response.headers['X-Credits-Cost']}")
