url="{base_url}/users?location=berlin&dependency_names=hono&per_page=5"
headers=$(mktemp)

while [ -n "$url" ]; do
  curl -s -D "$headers" -H "Authorization: Bearer $API_KEY" "$url" |
    grep -o '"login":"[^"]*"' | cut -d '"' -f 4
  url=$(sed -n 's/.*<\([^>]*\)>; rel="next".*/\1/p' "$headers")
done
rm "$headers"
