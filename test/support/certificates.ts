/** Certificates of authorities that tests make up. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Says what is missing for certificates, if anything. */
export function findOpenssl(): string[] {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return []
  } catch {
    return ['no openssl found; install it']
  }
}

/** A folder of certificates, each in `NAME.pem`, and of their keys, each in `NAME.key`. */
export interface CertificateFolder extends AsyncDisposable {
  /** Returns the path of a file. */
  file(name: string): string
  /** Creates the certificate of an authority. */
  createAuthority(name: string): void
  /** Creates a certificate for an alternative name, such as `DNS:localhost`. */
  createCertificate(name: string, alternative: string, options?: CertificateOptions): void
}

interface CertificateOptions {
  /** Default: `ours`. */
  authority?: string
  /** Default: `server`. */
  commonName?: string
}

const newKey = ['-newkey', 'rsa:2048', '-nodes']

/** Creates a folder without certificates. */
export async function createCertificateFolder(): Promise<CertificateFolder> {
  const directory = await mkdtemp(join(tmpdir(), 'devdata-tls-'))
  const file = (name: string) => join(directory, name)
  const openssl = (...parameters: string[]) => execFileSync('openssl', parameters, { stdio: 'pipe' })
  return {
    file,
    createAuthority(name) {
      openssl(
        ...['req', '-x509', ...newKey, '-days', '2', '-subj', `/CN=${name}`],
        ...['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)],
      )
    },
    createCertificate(name, alternative, { authority = 'ours', commonName = 'server' } = {}) {
      const request = file(`${name}.csr`)
      openssl(
        ...['req', ...newKey, '-subj', `/CN=${commonName}`, '-addext', `subjectAltName=${alternative}`],
        ...['-keyout', file(`${name}.key`), '-out', request],
      )
      openssl(
        ...['x509', '-req', '-days', '2', '-copy_extensions', 'copy', '-in', request, '-CAcreateserial'],
        ...['-CA', file(`${authority}.pem`), '-CAkey', file(`${authority}.key`), '-out', file(`${name}.pem`)],
      )
    },
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true })
    },
  }
}
