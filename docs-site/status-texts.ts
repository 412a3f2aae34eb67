/** The names of HTTP statuses, for samples and for responses in the browser. */

/** The names of the statuses that readers meet. Another status is shown without a name. */
export const statusTexts: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  410: 'Gone',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
}
