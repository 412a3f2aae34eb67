/** Asks the service whether a key works, which is free. */
import { sendRequest } from './api-request.ts'
import { type KeyState, readKeyState } from './key-state.ts'

/** The balance of a key, or what is wrong with it. */
export const checkKey = (key: string): Promise<KeyState> =>
  sendRequest({ method: 'GET', path: '/api-key/credits', key }).then(
    readKeyState,
    (): KeyState => ({ text: 'The API is unreachable', isValid: undefined }),
  )
