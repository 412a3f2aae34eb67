read_user() {
  curl -s --etag-save etag.txt --etag-compare etag.txt -o user.json \
    -w '%{http_code}, cost %header{x-credits-cost}\n' \
    -H "Authorization: Bearer $API_KEY" "{base_url}/users/ngoldberg"
  grep -o '"name":"[^"]*"' user.json | cut -d '"' -f 4
}

touch etag.txt
read_user
read_user
