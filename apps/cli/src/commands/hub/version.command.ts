import type { Command } from 'commander';
import type { BuildInfo } from '#platform/files/build-info';
import { HUB_HELP, hubOption } from '../../hub/hub-address.js';
import type { HubVersion } from '../../hub/hub-version.js';
import type { ReleaseFit } from '../../hub/release-fit.js';
import { isData } from '../../output/data-format.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../output/output-option.js';
import type { Io } from '../../terminal/io.js';

type Options = Readonly<{ client?: boolean; hub?: string; output: AnswerFormat }>;

const HELP = `${HUB_HELP}
Exit code 0; 3 if a hub named with --hub does not answer.

Examples:
  flotilla version
  flotilla version --client -o json`;

/** Registers `flotilla version`: the build of this command and that of the running hub. */
export const versionCommand = (program: Command, io: Io): Command =>
  program
    .command('version')
    .description('print the versions of this command and of the hub (if one answers), and their compatibility')
    .option('--client', 'print only the version of this command')
    .addOption(hubOption())
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', HELP)
    .action(async ({ client = false, hub: named, output }: Options) => {
      const [{ buildInfo }, { exitCodeOf }] = await Promise.all([
        import('#platform/files/build-info'),
        import('../../output/verdict.js'),
      ]);
      const own = buildInfo();
      const hub = client ? undefined : await versionOfHub(named);
      const fit = await fitOf(own, hub);
      const isLost = named !== undefined && hub?.known === false;
      if (isLost) {
        const { noAnswer } = await import('../../hub/ask-hub.js');
        io.err(`error: ${noAnswer(hub.url, hub.because)}\n`);
      }
      const verdict = isLost ? 'incomplete' : hub === undefined || fit !== undefined ? 'yes' : 'unknown';
      if (isData(output)) {
        const { printData } = await import('../../output/print-data.js');
        await printData(io, { verdict, client: own, ...hubData(hub, fit) }, output);
      } else io.out(`${lines(own, hub, fit).join('\n')}\n`);
      io.exit(exitCodeOf(verdict));
    });

async function versionOfHub(named: string | undefined): Promise<HubVersion> {
  const [{ commandSettings }, { hubAddress }, { hubToken }, { notListening }] = await Promise.all([
    import('../../hub/command-settings.js'),
    import('../../hub/hub-address.js'),
    import('../../hub/hub-token.js'),
    import('../../hub/probe-hub.js'),
  ]);
  const settings = commandSettings(process.env);
  const url = named ?? hubAddress(settings);
  const token = await hubToken(settings);
  const isSearched = named === undefined && settings.contentUrl === '';
  const because = isSearched ? await notListening(url) : undefined;
  if (because !== undefined) return { url, known: false, because };
  const { hubVersion } = await import('../../hub/hub-version.js');
  return hubVersion(url, token);
}

const hubData = (hub: HubVersion | undefined, fit: ReleaseFit | undefined) =>
  hub?.known ? { hub: { url: hub.url, ...hub.build, ...(fit && { fits: fit.fits }) } } : {};

function lines(own: BuildInfo, hub: HubVersion | undefined, fit: ReleaseFit | undefined): readonly string[] {
  const first = `flotilla ${text(own)}`;
  if (hub === undefined) return [first];
  const second = `hub      ${hub.known ? `${text(hub.build)} at ${hub.url}` : `none answers at ${hub.url}`}`;
  return [first, second, ...(fit === undefined ? [] : [`fit      ${fit.text}`])];
}

async function fitOf(own: BuildInfo, hub: HubVersion | undefined): Promise<ReleaseFit | undefined> {
  if (hub?.known !== true) return undefined;
  const { releaseFit } = await import('../../hub/release-fit.js');
  return releaseFit(own.version, hub.build.version);
}

type Build = Readonly<{ version: string; commit?: string | undefined; node: string; platform: string }>;

const text = ({ version, commit, node, platform }: Build): string =>
  `${version}${commit === undefined ? '' : ` (commit ${commit.slice(0, 12)})`}, Node ${node}, ${platform}`;
