import { objectOf } from '../bundles/bundle-draft.js';
import { bundleFiles, imageLabels, manifestsInOrder } from '../bundles/bundle-files.js';
import type { CorpusCase } from '../corpus-case.js';
import { names, shownNaming } from '../oracle/expected-outcome.js';
import { missingContent } from '../oracle/same-content.js';
import type { CommandEnd } from './commands.js';
import { type Finding, finding } from './finding.js';

const MOST_CHARACTERS = 200;
/** Texts of a program after an unexpected error. */
export const CRASHED = /\bat .+:\d+:\d+\)?$|ZodError|TypeError|RangeError|Cannot read propert|"code": "invalid_/m;

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Reports a command that failed without an answer. */
export function crash(of: CorpusCase, at: string, { exit, out, err }: CommandEnd): Finding[] {
  const text = `${err}${exit === 0 ? '' : out}`;
  return exit > 2 || exit < 0 || CRASHED.test(text) ? [finding(of, 'crash', at, `exit ${exit}: ${text}`)] : [];
}

/** `bundle validate`: silent and 0, or 1 with a line for each trouble that names it. */
export function judgeValidate(of: CorpusCase, end: CommandEnd): Finding[] {
  const { all, oneOf } = of.expected.validate;
  const at = 'validate';
  const lines = linesOf(end.err);
  const good = all.length === 0 && oneOf.length === 0;
  const found = crash(of, at, end);
  if (found.length > 0) return found;
  if (good) return end.exit === 0 && end.err === '' ? [] : [finding(of, 'verdict', at, `refused: ${end.err}`)];
  if (end.exit === 0)
    return [finding(of, 'verdict', at, `accepted; it should name ${[...all, ...oneOf].map(shownNaming).join('; ')}`)];
  const unnamed = all.filter((naming) => !lines.some((line) => names(line, naming)));
  const none = oneOf.length > 0 && !oneOf.some((naming) => lines.some((line) => names(line, naming)));
  return [
    ...unnamed.map((naming) => finding(of, 'silence', at, `does not name ${shownNaming(naming)}: ${end.err}`)),
    ...(none ? [finding(of, 'silence', at, `names none of ${oneOf.map(shownNaming).join('; ')}: ${end.err}`)] : []),
  ];
}

/** Sentences of opm; their length is opm's. */
const OF_OPM = /error checking provided apis in bundle/;

/** A line about a bundle of others fits into a terminal and a status. */
export const judgeLength = (of: CorpusCase, at: string, lines: readonly string[], reference: string): Finding[] =>
  lines
    .map((line) => line.replace(`${reference}: `, ''))
    .filter((line) => line.length > MOST_CHARACTERS && !OF_OPM.test(line))
    .map((line) => finding(of, 'length', at, `${line.length} characters: ${line}`));

/** `catalog render`: everything that the bundle brings, or a line that says why not. */
export function judgeRender(of: CorpusCase, end: CommandEnd): Finding[] {
  const at = 'render';
  const found = crash(of, at, end);
  if (found.length > 0) return found;
  const troubles = [...of.expected.validate.all, ...of.expected.validate.oneOf];
  if (end.exit !== 0) {
    // opm does not know the meaning of an image without labels.
    if (UNLABELLED.test(end.err) && isUnlabelled(of)) return [];
    // For opm a directory without the two folders of a bundle is a catalog; it names the first other file.
    if (of.draft.asked === 'directory' && !hasFolders(of) && namesFile(of, end.err)) return [];
    if (troubles.length === 0) return [finding(of, 'verdict', at, `refused: ${end.err}`)];
    const told = troubles.some((naming) => linesOf(end.err).some((line) => names(line, naming)));
    return told ? [] : [finding(of, 'silence', at, `refused without a trouble that is known: ${end.err}`)];
  }
  return renderedObjects(of, end);
}

const UNLABELLED = /image has no labels|image type could not be determined/;
const isUnlabelled = ({ draft }: CorpusCase): boolean =>
  !Object.keys(imageLabels(draft)).some((label) => label.startsWith('operators.operatorframework.io.bundle.'));

const hasFolders = ({ draft }: CorpusCase): boolean =>
  ['manifests/', 'metadata/'].every((folder) => bundleFiles(draft).some(({ path }) => path.startsWith(folder)));
const namesFile = ({ draft }: CorpusCase, text: string): boolean =>
  bundleFiles(draft).some(({ path }) => text.includes(`/${path}:`));

type Rendered = { properties?: { type: string; value: { data?: string } }[] };

/** Every manifest that can be read must be among the objects of the blob, as it is written, or be named. */
function renderedObjects(of: CorpusCase, { out, err }: CommandEnd): Finding[] {
  const { properties = [] } = JSON.parse(out) as Rendered;
  const objects = properties.flatMap(({ type, value }) =>
    type === 'olm.bundle.object' ? [JSON.parse(Buffer.from(value.data ?? '', 'base64').toString())] : [],
  );
  const wanted = manifestsInOrder(of.draft).filter(({ fate }) => fate === 'applied');
  return wanted.flatMap((file) => {
    const object = objectOf({ ...file, becomes: () => file.tree });
    const differences = objects.map((one) => missingContent(object, one));
    if (differences.includes(undefined) || err.includes(file.path)) return [];
    const near = differences.find((text) => !/^(kind|metadata\.name|apiVersion) /.test(text ?? ''));
    return [
      finding(of, 'objects', 'render', `${file.path} is not in the blob as it is written: ${near ?? 'it is absent'}`),
    ];
  });
}

/** Judges `plan --pull`: its plan, or the reason against it. */
export function judgePlan(of: CorpusCase, end: CommandEnd): Finding[] {
  const at = 'plan';
  const found = crash(of, at, end);
  if (found.length > 0) return found;
  const { plan, install } = of.expected;
  if (plan === 'yes') return end.exit === 0 ? [] : [finding(of, 'verdict', at, `says no: ${end.out}${end.err}`)];
  const text = linesOf(`${end.out}${end.err}`.replaceAll(/\n {4,}/g, ' '));
  const oneOf = install.ends === 'refused' ? install.oneOf : [];
  const told = oneOf.some((naming) => text.some((line) => names(line, naming)));
  // A note says that no registry would serve the catalog.
  if (end.exit === 0 && !(told && of.catalog !== undefined))
    return [finding(of, 'verdict', at, `says yes, and ${expectedNames(of)} is refused`)];
  return told ? [] : [finding(of, 'silence', at, `does not name ${expectedNames(of)}: ${end.out}${end.err}`)];
}

const expectedNames = ({ expected: { install } }: CorpusCase): string =>
  install.ends === 'refused' ? install.oneOf.map(shownNaming).join('; ') : 'nothing';
