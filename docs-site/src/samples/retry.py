import os
import random
import time
import uuid

import requests

session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['DEVDATA_API_KEY']}"


def get(url, tries=5):
    headers = {"Idempotency-Key": str(uuid.uuid4())}  # the same for each attempt
    for attempt in range(1, tries + 1):
        wait = 2**attempt * random.uniform(0.5, 1)
        try:
            response = session.get(url, headers=headers, timeout=30)
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError):
            if attempt == tries:
                raise
        else:
            not_ready = response.headers.get("X-Error-Code") == "filter_not_ready"
            is_temporary = response.status_code in (408, 429) or response.status_code >= 500
            if not_ready or not is_temporary or attempt == tries:
                if not response.ok:
                    raise SystemExit(response.text)
                return response.json()
            after = response.headers.get("Retry-After", "")
            if after.isdigit():
                wait = int(after)
        time.sleep(wait)


for login in ["ngoldberg", "sofia12", "adasilva"]:
    print(get("{base_url}/users/" + login)["name"])
