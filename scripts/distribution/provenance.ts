import { createHash } from 'node:crypto';

/** A file of a release with its bytes. */
export type ReleasedFile = Readonly<{ name: string; content: Uint8Array }>;

export const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');

type ProvenanceFacts = Readonly<{
  version: string;
  /** Absent if the checkout has changes that no commit has. */
  commit?: string | undefined;
  lockFile: string;
  /** Versions of the programs that the bytes depend on. */
  tools: Readonly<{ node: string; npm: string }>;
}>;

/**
 * Returns a statement of in-toto with SLSA's provenance (slsa.dev/provenance/v1): the released files, their
 * commit and their build. It is not signed, and names no time, so that the same commit gives the same bytes.
 */
export function provenance(files: readonly ReleasedFile[], facts: ProvenanceFacts): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files
      .map(({ name, content }) => ({ name, digest: { sha256: sha256(content) } }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://flotilla.dev/builds/make-dist/v1',
        externalParameters: { version: facts.version, command: 'make dist' },
        internalParameters: facts.tools,
        resolvedDependencies: [
          ...(facts.commit === undefined ? [] : [{ name: 'source', digest: { gitCommit: facts.commit } }]),
          { name: 'package-lock.json', digest: { sha256: sha256(facts.lockFile) } },
        ],
      },
      runDetails: { builder: { id: 'https://flotilla.dev/builders/local/v1' } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

/** Returns the input of `sha256sum --check`. */
export const checksums = (files: readonly ReleasedFile[]): string =>
  files
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, content }) => `${sha256(content)}  ${name}\n`)
    .join('');
