import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readStream } from '#core/catalog/read/blob-stream';
import { ByteWindow } from '#core/catalog/read/bytes/byte-window';
import { loadFirstDocument } from '#core/catalog/read/yaml/first-document';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { oddYaml } from './odd-yaml/odd-yaml.js';

// Compares our reader of YAML with Go's on the same odd pieces; scripts/go-yaml/main.go says how to run it.

const MODES = ['stream', 'document', 'strict'] as const;
type Mode = (typeof MODES)[number];
type Answer = Readonly<{ json: unknown[] | null; error?: string }>;

function askGo(pieces: readonly Readonly<{ yaml: string; mode: Mode }>[]): Answer[] {
  const input = pieces.map((piece) => JSON.stringify(piece)).join('\n');
  const { stdout, stderr, status } = spawnSync('dist/go-yaml', { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`dist/go-yaml failed: ${stderr}`);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

function ask(yaml: string, mode: Mode): Answer {
  const json: unknown[] = [];
  try {
    if (mode !== 'stream') json.push(loadFirstDocument(yaml, mode === 'strict'));
    else for (const { value } of readStream(ByteWindow.whole(Buffer.from(yaml)))) json.push(value);
    return { json };
  } catch (error) {
    return { json, error: error instanceof Error ? error.message : String(error) };
  }
}

const shown = ({ json, error }: Answer): string =>
  `${(json ?? []).map((value) => canonicalJson(value)).join(' ')}${error === undefined ? '' : ' and an error'}`;

/** Prints each piece that Go reads differently. */
function compare(first: number, count: number): void {
  const pieces = MODES.flatMap((mode) =>
    Array.from({ length: count }, (_, index) => ({ seed: first + index, mode, yaml: oddYaml(first + index) })),
  );
  let taken = 0;
  let different = 0;
  for (const [index, theirs] of askGo(pieces).entries()) {
    const { seed, mode, yaml } = pieces[index] ?? { seed: 0, mode: 'stream', yaml: '' };
    const ours = ask(yaml, mode);
    if (theirs.error === undefined) taken += 1;
    if (shown(ours) === shown(theirs)) continue;
    different += 1;
    process.stdout.write(
      `seed ${seed}, ${mode}: ${JSON.stringify(yaml)}\n  Go:   ${shown(theirs)} ${theirs.error ?? ''}\n`,
    );
    process.stdout.write(`  ours: ${shown(ours)} ${ours.error ?? ''}\n`);
  }
  process.stdout.write(`${pieces.length} pieces, of which Go takes ${taken}; ${different} differ\n`);
}

/** Pieces to keep, of those that Go takes and of those that it refuses. */
const KEPT = { taken: 500, refused: 500 };
const LONGEST = 400;

function write(): void {
  const pieces = Array.from({ length: 4_000 }, (_, seed) => ({ yaml: oddYaml(seed), mode: 'stream' as const }));
  const short = pieces.filter(({ yaml }) => yaml.length <= LONGEST);
  const answered = askGo(short).map((answer, index) => ({ yaml: short[index]?.yaml ?? '', ...answer }));
  const kept = [
    ...answered.filter(({ error }) => error === undefined).slice(0, KEPT.taken),
    ...answered.filter(({ error }) => error !== undefined).slice(0, KEPT.refused),
  ];
  writeFileSync('test/vectors/yaml/odd.jsonl', kept.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

const [command, first = '1', count = '10000'] = process.argv.slice(2);
if (command === 'write') write();
else compare(Number(first), Number(count));
