read_user() {
  curl -sS --fail-with-body --etag-save etag.txt --etag-compare etag.txt -o user.json \
    -w '%{http_code}, cost %header{x-credits-cost}\n' \
    -H "Authorization: Bearer $DEVDATA_API_KEY" "{base_url}/users/ngoldberg" ||
    { cat user.json >&2; return 1; }
  grep -o '"name":"[^"]*"' user.json | cut -d '"' -f 4
}

touch etag.txt
read_user && read_user
