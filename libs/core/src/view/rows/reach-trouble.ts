/**
 * The kinds of trouble between the hub and a cluster. Different people repair them: those of logins, of
 * certificates, of names, of the control plane and of the network.
 */
const TROUBLES = [
  // A certificate may be part of a login, so the words of a login come first.
  [
    'login',
    /\b(?:401|unauthorized|logged in|log in|logins?|credentials?|(?:bearer|account|access|refresh) token|token (?:has |is )?expired|exec plugin)\b/i,
  ],
  ['certificate', /\b(?:certificates?|self.signed|unknown ca)\b/i],
  ['name', /\b(?:ENOTFOUND|EAI_AGAIN|getaddrinfo|no such host)\b/i],
  ['closed', /\b(?:ECONNREFUSED|connection refused|ECONNRESET|socket hang up)\b/i],
  [
    'network',
    /\b(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|no route|timed? ?out|did not answer|no answer|disconnected before secure)\b/i,
  ],
] as const;

export type ReachTrouble = (typeof TROUBLES)[number][0];

/** Matches the advice at the end of an error. It names certificates and proxies without a reason. */
const ADVICE = /; check .*$/s;

/** Matches an error code of Node with the address after it. A host name may hold any word. */
const ADDRESS = /\b(E[A-Z_]{4,})\s+\S+/g;

/** Returns the kind of a trouble by the words about it. Returns undefined for other words. */
export function reachTrouble(text: string): ReachTrouble | undefined {
  const said = text.replace(ADVICE, '').replace(ADDRESS, '$1');
  return TROUBLES.find(([, words]) => words.test(said))?.[0];
}

/** One sentence about several clusters with the same kind of trouble. */
export const SHARED_TROUBLE: Readonly<Record<ReachTrouble, string>> = {
  login: 'These clusters do not accept the login of the hub.',
  certificate: 'The certificates of these clusters are not trusted.',
  name: 'The host names of these clusters are not known.',
  closed: 'Nothing listens at the addresses of these clusters.',
  network: 'The network does not lead to these clusters.',
};

/** The repair of a trouble. */
export const TROUBLE_TODO: Readonly<Record<ReachTrouble, string>> = {
  login: 'Renew the login of the hub for the cluster.',
  certificate: 'Correct the authority in the kubeconfig, or renew the certificate of the API server.',
  name: 'Correct the server address in the kubeconfig, or the DNS of the hub.',
  closed: 'Check that the API server runs, and the server address in the kubeconfig.',
  network: 'Check network, firewall and proxy between the hub and the API server.',
};
