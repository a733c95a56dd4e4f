import { isNode, LineCounter, parseDocument } from 'yaml';
import { parseGoDuration } from '#core/kernel/durations/go-duration';
import { readScenario, type ScenarioFile, ScenarioProblem } from '#core/rollout/simulation/read-scenario';
import type { FleetScenario } from '#core/rollout/simulation/scenario';
import { fileError } from '#platform/files/file-tree.error';
import { readManifests, textOf } from '../../../inputs/read-manifests.js';
import { type Io, UsageError } from '../../../terminal/io.js';

type ScenarioOptions = Readonly<{
  file: readonly string[];
  clusters?: string;
  faults?: string;
  seed: string;
  until?: string;
}>;

const MOST_CLUSTERS = 100_000;

/** Reads the files of a simulation. Each fault is one line with its place. */
export async function readFleetScenario(options: ScenarioOptions, io: Io): Promise<FleetScenario> {
  const { until, seed } = options;
  if (until !== undefined) checkDuration(until);
  const manifests = await readManifests(options.file, io.stdin);
  const faults = options.faults === undefined ? undefined : await readYaml(options.faults, io);
  const clusters = await clustersOf(options.clusters, io);
  try {
    const documents = manifests.map(({ object, where }) => ({ value: object, where }));
    return readScenario({ manifests: documents, clusters, faults, seed, until });
  } catch (error) {
    if (error instanceof ScenarioProblem) throw new UsageError(error.message);
    throw error;
  }
}

function checkDuration(text: string): void {
  const parsed = parseGoDuration(text);
  if ('error' in parsed) throw new UsageError(`--until: ${parsed.error}; write it as 90s or 48h`);
  if (parsed.ms < 0) throw new UsageError(`--until: ${text} is before the start`);
}

async function clustersOf(given: string | undefined, io: Io): Promise<number | ScenarioFile | undefined> {
  if (given === undefined || !/^[+-]?\d+$/.test(given)) return given === undefined ? undefined : readYaml(given, io);
  const count = Number(given);
  if (count >= 1 && count <= MOST_CLUSTERS) return count;
  throw new UsageError(`--clusters: ${given} must be from 1 to ${MOST_CLUSTERS}`);
}

const opened = (path: string): Promise<string> =>
  textOf(path).catch((error: unknown) => {
    throw error instanceof UsageError ? error : new UsageError(fileError('open', path, error).message);
  });

/** One document of YAML, with the line of each of its fields. */
async function readYaml(path: string, io: Io): Promise<ScenarioFile> {
  const text = path === '-' ? await io.stdin() : await opened(path);
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: true });
  const file = path === '-' ? 'standard input' : path;
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line, col } = counter.linePos(broken.pos[0]);
    throw new UsageError(`${file}:${line}:${col}: not YAML: ${broken.message}; correct this place`);
  }
  const where = (fields: readonly PropertyKey[]): string => {
    for (let depth = fields.length; depth >= 0; depth--) {
      const node = depth === 0 ? document.contents : document.getIn(fields.slice(0, depth), true);
      if (isNode(node) && node.range != null) return `${file}:${counter.linePos(node.range[0]).line}`;
    }
    return file;
  };
  return { value: document.toJS({ maxAliasCount: 100 }) as unknown, where };
}
