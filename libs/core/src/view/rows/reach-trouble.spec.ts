import { expect, it } from 'vitest';
import { reachTrouble } from './reach-trouble.js';

const ADVICE = 'check that the API server runs, and the server address, CA and proxy of its kubeconfig';

it.each([
  ['the API server answers 401 Unauthorized', 'login'],
  ['the login has expired; the read is retried', 'login'],
  [`its certificate is not signed by the authority that the kubeconfig names; ${ADVICE}`, 'certificate'],
  [`getaddrinfo ENOTFOUND east.example.com; ${ADVICE}`, 'name'],
  [`connect ECONNREFUSED 10.0.0.7:6443; ${ADVICE}`, 'closed'],
  ['connect ETIMEDOUT 10.4.0.27:6443; check the load of the API server and the network to it', 'network'],
  ['no route to host', 'network'],
  ['no answer to the TLS handshake', 'network'],
  ['Client network socket disconnected before secure TLS connection was established', 'network'],
  ['the server does not use TLS', undefined],
  ['getaddrinfo ENOTFOUND login.example.com', 'name'],
  ['connect ECONNREFUSED certificate.example.com:6443', 'closed'],
  ['the exec plugin failed: getaddrinfo ENOTFOUND sts.example.com', 'login'],
  [`something else; ${ADVICE}`, undefined],
  ['Unexpected token < in JSON', undefined],
  ['', undefined],
])('takes %s for a trouble of kind %s', (text, kind) => expect(reachTrouble(text)).toBe(kind));
