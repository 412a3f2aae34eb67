package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"regexp"
)

type page struct {
	Data []struct {
		Login string `json:"login"`
	} `json:"data"`
	Error string `json:"error"`
}

var next = regexp.MustCompile(`<([^>]+)>; rel="next"`)

func get(url string) (body page, nextURL string, err error) {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return body, "", err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("DEVDATA_API_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return body, "", err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		return body, "", err
	}
	if response.StatusCode != http.StatusOK {
		return body, "", fmt.Errorf("%s: %s", response.Status, body.Error)
	}
	if match := next.FindStringSubmatch(response.Header.Get("Link")); match != nil {
		nextURL = match[1]
	}
	return body, nextURL, nil
}

func main() {
	url := "{base_url}/users?location=berlin&dependency_names=zod&per_page=5"
	for url != "" {
		body, nextURL, err := get(url)
		if err != nil {
			log.Fatal(err)
		}
		for _, user := range body.Data {
			fmt.Println(user.Login)
		}
		url = nextURL
	}
}
