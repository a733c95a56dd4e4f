import { flag, networks, path, port, text, url } from './setting.js';

/** Settings of the web console: its address, and the sign-in of people. */
export const consoleSettings = {
  consolePort: port(8083, 'Port of the console’s pages and API; 0: any free one'),
  consoleHealthPort: port(8084, 'Port of the console’s health and metrics; 0: any free one'),
  consoleExternalUrl: url(
    'Address at which browsers reach the console, such as `https://flotilla.example.com`: requests for another host are refused. Needed if FLOTILLA_BIND_ADDRESS is not loopback; plain `http` for a loopback name only',
  ),
  consoleTrustedProxies: networks(
    'Addresses and networks of the proxies before the console, such as `10.0.0.0/8` for an Ingress: only their X-Forwarded-For names the client, in limits of sign-in and in the audit log',
  ),
  consoleTlsCertFile: path('', 'PEM file with the HTTPS certificate of the console'),
  consoleTlsKeyFile: path('', 'PEM file with the key of that certificate'),
  consoleKeyFile: path(
    '~/.config/flotilla/console-key',
    'File with the key that signs in if no issuer is set; created with mode 0600 if it is missing. `flotilla console link` prints it as a link',
  ),
  consoleProofKeysFile: path(
    '',
    'File with the public keys for which the console encrypts proofs of the person who acts or asks; `flotilla console proof-keys` prints it, and a poller that has this setting writes it. Without it the console shows rows alone',
  ),
  consolePolicyFile: path(
    '',
    'YAML file with the rights of people in the console ([console.md](console.md#rights)); read again when it changes. Without it, people who sign in with an account see nothing; the key of this machine allows everything',
  ),
  consoleAuditFile: path(
    '',
    'File to which the console appends a JSON line for each sign-in, refusal, action and result, beside its log; if the line of an action cannot be written, the action is not done',
  ),
  consoleOidcIssuer: url(
    'Issuer of accounts (OpenID Connect) for people who sign in to the console; needs FLOTILLA_CONSOLE_EXTERNAL_URL with https',
  ),
  consoleOidcClientId: text('', 'Name of the console at the issuer'),
  consoleOidcClientSecretFile: path('', 'File with the secret of the console at the issuer; none: a public client'),
  consoleOidcScopes: text(
    'openid email profile',
    'Scopes that the console requests from the issuer; some issuers give groups, or a refresh token, only for `groups` or `offline_access`',
  ),
  consoleOidcNameClaim: text(
    'email',
    'Claim that names a person in the policy file and the audit log; one that people cannot choose themselves, such as `sub`. `email` counts only where claim `email_verified` is `true`',
  ),
  consoleOidcVerifiedText: flag(
    false,
    'If true, the text `"true"` in claim `email_verified` counts as `true`, for issuers that send text',
  ),
  consoleOidcGroupsClaim: text('groups', 'Claim with the groups of a person'),
  consoleHubApi: url(
    'API server with the FleetRollouts, such as `https://fleet.example.com:6443`: the console makes decisions about rollouts there with the ID token of the person who decides ([console-rights.md](console-rights.md#decisions-about-rollouts)). The API server must accept the issuer and the client of the console. Without it pages show commands',
  ),
  consoleHubApiCaFile: path(
    '',
    'PEM file with the authorities that sign the certificate of that API server; none: those of the system',
  ),
  consoleSessionKeyFile: path(
    '',
    'File with at least 32 random characters that encrypt the stored sessions of the console; the same for all replicas. Without it each process makes a key of its own at its start',
  ),
} as const;
