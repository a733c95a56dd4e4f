import type { ProofReader } from '#core/view/proof/console-proof';
import { readConsoleKey } from '../console/console-key.js';
import { ConsolePolicyFile } from '../console/console-policy-file.js';
import { claimNamesOf } from '../console/proof/claim-names.js';
import { ProofChecker } from '../console/proof/proof-checker.js';
import { privateProofKeys, publicProofKeys, writeProofKeys } from '../console/proof/proof-keys.js';
import { TokenIssuer } from '../console/proof/token-issuer.js';
import type { HubKey } from '../keys/hub-key.js';
import { consoleRefusals } from '../telemetry/metrics/console-metrics.js';
import type { Hub } from './hub.js';

/** The checker of a service, and the function that stops it. */
export type HubProofs = Readonly<{ checker: ProofChecker; stop: () => void }>;

/** Opens the checker of proofs of a service of the hub. A wrong policy file grants nothing. */
export async function openHubProofs(hub: Hub, reader: ProofReader): Promise<HubProofs> {
  const { settings, clock, log, key, store, metrics } = hub;
  const { consoleOidcIssuer, consoleOidcClientId: clientId, consolePolicyFile, consoleKeyFile } = settings;
  const { outboundAddresses: addresses } = settings;
  const refusals = consoleRefusals(metrics.registry);
  const hasAccounts = consoleOidcIssuer !== '';
  const policy = await ConsolePolicyFile.follow(hasAccounts ? consolePolicyFile : '', { clock, log });
  if (reader === 'poller' && key !== undefined) await publish(hub, key);
  const checker = new ProofChecker({
    ...{ reader, clock, log },
    privateKeys: key === undefined ? [] : privateProofKeys(key, reader),
    used: store.usedProofs(reader),
    claims: claimNamesOf(settings),
    policy: () => policy.policy,
    ...(hasAccounts && { issuer: new TokenIssuer({ issuer: consoleOidcIssuer, clientId, addresses, clock, log }) }),
    consoleKey: () => readConsoleKey(consoleKeyFile),
    count: (reason) => refusals.inc({ reader, reason }),
  });
  return { checker, stop: () => policy.stop() };
}

/** Writes the public keys for the console, if a file is set. A failure does not stop the poller. */
async function publish({ settings, log }: Hub, key: HubKey): Promise<void> {
  const { consoleProofKeysFile: file } = settings;
  if (file === '') return;
  await writeProofKeys(file, publicProofKeys(key)).catch((error: unknown) => {
    log.warn({ error }, 'could not write the public keys for proofs of the console');
  });
}
