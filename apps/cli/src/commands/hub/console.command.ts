import type { Command } from 'commander';
import { CONSOLE_VERBS } from '#core/view/rights/console-verbs';
import { ExitCode, type Io, UsageError } from '../../terminal/io.js';

const LINK_HELP = `
FLOTILLA_CONSOLE_KEY_FILE holds the key, which the console makes at its first start. The link allows everything that the
console can do.

Examples:
  flotilla console link
  FLOTILLA_CONSOLE_PORT=9083 flotilla console link`;

const PROOF_KEYS_HELP = `
With these keys the console encrypts the identity of the person behind each action and question. Only applier and poller can
read it, with keys derived from the hub's key (FLOTILLA_HUB_KEY_FILE). The printed keys are not secret. Give the file to the
console as FLOTILLA_CONSOLE_PROOF_KEYS_FILE, again after each change of the hub's key.

Examples:
  flotilla console proof-keys > proof-keys.json
  kubectl exec -n flotilla deploy/applier -- flotilla console proof-keys > proof-keys.json`;

const CAN_I_HELP = `
Reads only the policy file, so you can check a file before you use it. Exit code 0: yes; 1: no.

Examples:
  flotilla console can-i approve -u jane@example.com -g change-board -C eu-1 -l tier=prod -p harbor-operator
  flotilla console can-i hub -g sre --policy policy.yaml`;

/** Registers `flotilla console`: the web console on this machine. */
export const consoleCommand = (program: Command, io: Io): Command => {
  const console = program.command('console').description('open the web console, and check its policy');
  console
    .command('link')
    .description('print a link that opens the console of this machine, signed in')
    .addHelpText('after', LINK_HELP)
    .action(async () => {
      const [{ commandSettings }, { consoleLink, readConsoleKey }] = await Promise.all([
        import('../../hub/command-settings.js'),
        import('#platform/console/console-key'),
      ]);
      const { consoleKeyFile, consolePort, consoleExternalUrl } = commandSettings(process.env);
      const key = await readConsoleKey(consoleKeyFile);
      if (key === undefined)
        throw new UsageError(`no key in ${consoleKeyFile}: "flotilla up" creates one when it starts`);
      const origin = consoleExternalUrl === '' ? `http://127.0.0.1:${consolePort}` : new URL(consoleExternalUrl).origin;
      io.out(`${consoleLink(origin, key)}\n`);
    });
  console
    .command('proof-keys')
    .description('print the public keys of the proofs of the console, derived from the key of the hub')
    .addHelpText('after', PROOF_KEYS_HELP)
    .action(async () => {
      const [{ commandSettings }, { HubKey, HubKeyUnusable }, { proofKeysText, publicProofKeys }] = await Promise.all([
        import('../../hub/command-settings.js'),
        import('#platform/keys/hub-key'),
        import('#platform/console/proof/proof-keys'),
      ]);
      const key = await HubKey.open(commandSettings(process.env).hubKeyFile).catch((error: unknown) => {
        throw error instanceof HubKeyUnusable ? new UsageError(error.message) : error;
      });
      io.out(proofKeysText(publicProofKeys(key)));
    });
  console
    .command('can-i')
    .description('check if the policy file of the console allows an action, with the reason')
    .argument('<verb>', CONSOLE_VERBS.join(', '))
    .option('-u, --user <name>', 'the sign-in name of the person', '')
    .option('-g, --group <name...>', 'a group of the person; repeatable')
    .option('-C, --cluster <name>', 'the cluster; without it, namespace or package: anywhere')
    .option('-l, --label <key=value...>', 'a label of that cluster; repeatable')
    .option('-n, --namespace <name>', 'the namespace')
    .option('-p, --package <name...>', 'a package that the action moves; repeatable')
    .option('--policy <file>', 'instead of FLOTILLA_CONSOLE_POLICY_FILE')
    .addHelpText('after', CAN_I_HELP)
    .action((verb: string, options: CanIOptions) => canI(verb, options, io));
  return console;
};

type CanIOptions = Readonly<{
  user: string;
  group?: readonly string[];
  cluster?: string;
  label?: readonly string[];
  namespace?: string;
  package?: readonly string[];
  policy?: string;
}>;

async function canI(asked: string, options: CanIOptions, io: Io): Promise<void> {
  const [{ commandSettings }, { readConsolePolicy }, { rightsOf }] = await Promise.all([
    import('../../hub/command-settings.js'),
    import('#platform/console/console-policy-file'),
    import('#core/view/rights/rights'),
  ]);
  const verb = CONSOLE_VERBS.find((one) => one === asked);
  if (verb === undefined) throw new UsageError(`"${asked}" is not a verb of the console: ${CONSOLE_VERBS.join(', ')}`);
  const { user, group = [], cluster, label = [], namespace, package: packages, policy } = options;
  if (user === '' && group.length === 0) throw new UsageError('specify a user (-u) or a group (-g)');
  if (cluster === undefined && (namespace ?? packages) !== undefined) throw new UsageError('name the cluster with -C');
  const file = policy ?? commandSettings(process.env).consolePolicyFile;
  if (file === '') throw new UsageError('name the policy file with --policy or FLOTILLA_CONSOLE_POLICY_FILE');
  const rights = rightsOf(await readConsolePolicy(file), { name: user, groups: group });
  const place = cluster !== undefined && {
    ...{ cluster, ...(namespace === undefined ? {} : { namespace }), ...(packages === undefined ? {} : { packages }) },
  };
  const labels = Object.fromEntries(label.map((one) => [one.split('=')[0] ?? '', one.slice(one.indexOf('=') + 1)]));
  const decision = rights.decide(verb, place || undefined, () => labels);
  io.out(decision.allowed ? `yes: ${decision.by.join('; ')}\n` : `no: ${decision.because}\n`);
  io.exit(decision.allowed ? ExitCode.done : ExitCode.no);
}
