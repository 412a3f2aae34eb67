/** A way from the service to the servers of connectors that ends on this machine. Only the addresses are made up. */
import { Agent } from 'node:https'
import { type DocumentRoute, resolveName } from '../../api/sign-in/client-document.ts'

/** Where the way leads. It is plain data, so a test can hand it to another process. */
export interface DocumentRouteOptions {
  /** The name server, as resolvers take it. */
  nameServer: string
  /** The ports of 127.0.0.1, by the public addresses that they replace. Connections to other addresses fail. */
  ports: Record<string, number>
  /** PEM of the authorities to trust. */
  ca: string
}

/** Creates the way. `connections`: gets the addresses that were connected to. */
export function createDocumentRoute(
  { nameServer, ports, ca }: DocumentRouteOptions,
  connections: string[] = [],
): DocumentRoute {
  class LocalAgent extends Agent {
    override createConnection(...[options, ...others]: Parameters<Agent['createConnection']>) {
      const address = String(options.host)
      connections.push(address)
      // Nothing listens at port 1.
      return super.createConnection({ ...options, host: '127.0.0.1', port: ports[address] ?? 1 }, ...others)
    }
  }
  return {
    resolve: (hostname, signal) => resolveName(hostname, signal, [nameServer]),
    agent: new LocalAgent({ ca }),
  }
}
