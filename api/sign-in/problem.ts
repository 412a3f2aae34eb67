/** What is wrong with a request of the sign-in. People read it on the page, and connectors as an error of OAuth. */
export class SignInProblem extends Error {
  override name = 'SignInProblem'
  readonly code: 'invalid_request' | 'invalid_target' | 'invalid_client_metadata' | 'invalid_redirect_uri'

  constructor(message: string, code: SignInProblem['code'] = 'invalid_request') {
    super(message)
    this.code = code
  }
}
