import gt from 'semver/functions/gt.js';
import valid from 'semver/functions/valid.js';
import { type ChangeEntry, changeList } from './change-entries.js';

/** Reason that a version cannot be released; the message is for the person at the keyboard. */
export class NoRelease extends Error {
  override readonly name = 'NoRelease';
}

/** Text of a file by its path within the checkout. */
export type VersionedFiles = Readonly<Record<string, string>>;

/** Every file that names the version of Flotilla, with the text before the version in it. */
export const VERSION_PLACES: Readonly<Record<string, readonly RegExp[]>> = {
  'package.json': [/^ {2}"version": "/m],
  'package-lock.json': [/^ {2}"version": "/m, /^ {4}"": \{\n {6}"name": "flotilla",\n {6}"version": "/m],
  'charts/flotilla/Chart.yaml': [/^version: /m, /^appVersion: /m],
  Dockerfile: [/org\.opencontainers\.image\.version="/],
};
const CHANGELOG = 'CHANGELOG.md';
const VERSION = '(\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?)';

/** The versions that the files name, one for each place. */
export function versionsIn(files: VersionedFiles): readonly string[] {
  return Object.entries(VERSION_PLACES).flatMap(([path, places]) =>
    places.map((place) => new RegExp(`${place.source}${VERSION}`, place.flags).exec(files[path] ?? '')?.[1] ?? ''),
  );
}

/**
 * Returns the files of a new version. Each place names it, and the entries of `changes` are in the changelog
 * under its heading, with the day.
 *
 * @throws NoRelease if it is no version, not the next one, or nothing has changed
 */
export function releaseTexts(
  files: VersionedFiles,
  entries: readonly ChangeEntry[],
  version: string,
  day: string,
): VersionedFiles {
  if (valid(version) !== version)
    throw new NoRelease(`"${version}" is not a version such as 1.2.3: make release VERSION=…`);
  const [now = ''] = versionsIn(files);
  if (gt(now, version)) throw new NoRelease(`${version} is older than ${now}`);
  const replaced = Object.entries(VERSION_PLACES).map(([path, places]) => [
    path,
    places.reduce(
      (text, place) =>
        text.replace(new RegExp(`(${place.source})${VERSION}`, place.flags), (_all, before) => `${before}${version}`),
      files[path] ?? '',
    ),
  ]);
  return {
    ...Object.fromEntries(replaced),
    [CHANGELOG]: closedChangelog(files[CHANGELOG] ?? '', entries, `${version} - ${day}`),
  };
}

function closedChangelog(text: string, entries: readonly ChangeEntry[], title: string): string {
  const heading = '## Unreleased\n';
  const at = text.indexOf(heading);
  if (at < 0) throw new NoRelease(`${CHANGELOG} has no heading "${heading.trim()}"`);
  const [version = ''] = title.split(' ');
  if (new RegExp(`^## ${version.replaceAll('.', '\\.')}(\\s|$)`, 'm').test(text))
    throw new NoRelease(`${CHANGELOG} has a heading for ${version} already`);
  if (entries.length === 0) throw new NoRelease('changes holds no entry: nothing has changed');
  const next = text.indexOf('\n## ', at + heading.length);
  const [before, released] = next < 0 ? [text.trimEnd(), ''] : [text.slice(0, next).trimEnd(), text.slice(next + 1)];
  return `${before}\n\n## ${title}\n\n${changeList(entries)}${released === '' ? '' : `\n${released}`}`;
}
