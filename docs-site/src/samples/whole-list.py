import json
import os
import random
import time
import uuid

import requests

budget = 500
session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['DEVDATA_API_KEY']}"
url = "{base_url}/users?country=DE&dependency_names=react&per_page=100"
state = {"url": url, "key": str(uuid.uuid4()), "size": 0, "spent": 0}
if os.path.exists("users.state"):
    with open("users.state") as file:
        state = json.load(file)
    if not os.path.exists("users.ndjson") or os.path.getsize("users.ndjson") < state["size"]:
        raise SystemExit("users.ndjson lacks users: restore it, or delete users.state to pay for all again")


def save(file, text):
    file.write(text.encode())
    file.flush()
    os.fsync(file.fileno())


def get(tries=7):
    headers = {"Idempotency-Key": state["key"], "Max-Credits": str(budget - state["spent"])}
    for attempt in range(1, tries + 1):
        wait = 2**attempt * random.uniform(0.5, 1)
        try:
            response = session.get(state["url"], headers=headers, timeout=30)
            if response.ok:
                return response
            not_ready = response.headers.get("X-Error-Code") == "filter_not_ready"
            is_temporary = response.status_code in (408, 429) or response.status_code >= 500
            if not_ready or not is_temporary or attempt == tries:
                raise SystemExit(response.text)
            after = response.headers.get("Retry-After", "")
            if after.isdigit():
                wait = int(after)
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError):
            if attempt == tries:
                raise
        time.sleep(wait)


with open("users.ndjson", "ab") as output:
    output.truncate(state["size"])  # a page whose state wasn't stored is read again, free
    while True:
        with open("users.state.new", "wb") as file:
            save(file, json.dumps(state))
        os.replace("users.state.new", "users.state")  # before the request is sent
        if not state["url"]:
            break
        response = get()
        users = response.json()["data"]
        save(output, "".join(json.dumps(user) + "\n" for user in users))
        state["url"] = response.links.get("next", {}).get("url")
        state["key"] = str(uuid.uuid4())
        state["size"] = os.path.getsize("users.ndjson")
        state["spent"] += len(users)  # even if an earlier run paid for them
print(f"{state['spent']} users in users.ndjson, {budget - state['spent']} credits of the budget left")
