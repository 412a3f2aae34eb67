url="{base_url}/users?location=berlin&dependency_names=zod&per_page=5"
headers=$(mktemp)
page=$(mktemp)

while [ -n "$url" ] &&
  curl -sS --fail-with-body -D "$headers" -o "$page" -H "Authorization: Bearer $DEVDATA_API_KEY" "$url"; do
  grep -o '"login":"[^"]*"' "$page" | cut -d '"' -f 4
  url=$(sed -n 's/.*<\([^>]*\)>; rel="next".*/\1/p' "$headers")
done

[ -z "$url" ] || cat "$page" >&2
rm "$headers" "$page"
[ -z "$url" ]
