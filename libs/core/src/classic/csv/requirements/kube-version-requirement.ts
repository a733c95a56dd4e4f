import SemVer from 'semver/classes/semver.js';
import type { ClusterServiceVersion, RequirementStatus } from '../../../kernel/api/cluster-service-version.js';
import { CSV_API } from '../../../kernel/api/cluster-service-version.js';
import { csvName } from '../../../kernel/api/csv-facts.js';
import { goQuote } from '../../../kernel/versions/go-quote.js';

type Version = Readonly<{ release: SemVer; text: string }>;

/** The syntax that coreos/go-semver reads: leading zeros are allowed. */
const DOTTED_TRI = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([0-9A-Za-z.-]+))?(\+[0-9A-Za-z.-]+)?$/;

/**
 * Parses a version without prerelease and build. The comparison is only with a release, since the server's
 * prerelease is cut off before.
 */
function parse(text: string): Version | undefined {
  const match = DOTTED_TRI.exec(text);
  if (match === null) return undefined;
  const [major, minor, patch] = [match[1], match[2], match[3]].map(Number);
  return { release: new SemVer(`${major}.${minor}.${patch}`), text };
}

/** Returns why spec.minKubeVersion holds for no server version; undefined if it is a version, or not set. */
export function minKubeVersionError({ spec: { minKubeVersion = '' } }: ClusterServiceVersion): string | undefined {
  if (minKubeVersion === '' || wantedVersion(minKubeVersion) !== undefined) return undefined;
  return `spec.minKubeVersion ${goQuote(minKubeVersion)} is not a version: ${UNREADABLE}; write for example "1.26.0"`;
}

/** The entry for spec.minKubeVersion; none when it is not set (spec: csv-lifecycle.md §4). */
export function kubeVersionRequirement(
  csv: ClusterServiceVersion,
  serverVersion: string | undefined,
): readonly RequirementStatus[] {
  const minimum = csv.spec.minKubeVersion ?? '';
  if (minimum === '') return [];
  const { status, message } = verdict(minimum, serverVersion);
  return [
    { group: 'operators.coreos.com', version: 'v1alpha1', kind: CSV_API.kind, name: csvName(csv), status, message },
  ];
}

const UNREADABLE = 'CSV version parsing error';
const wantedVersion = (minimum: string): Version | undefined => parse(minimum.replace(/^v/, ''));

function verdict(minimum: string, serverVersion: string | undefined): { status: string; message: string } {
  const unmet = (message: string) => ({ status: 'PresentNotSatisfied', message });
  if (serverVersion === undefined) return unmet('Server version discovery error');
  const server = parse(serverVersion.replace(/^v/, '').split('-')[0] ?? '');
  if (server === undefined) return unmet('Server version parsing error');
  const wanted = wantedVersion(minimum);
  if (wanted === undefined) return unmet(UNREADABLE);
  if (wanted.release.compare(server.release) > 0) {
    return unmet(`CSV version requirement not met: minKubeVersion (${minimum}) > server version (${server.text})`);
  }
  return {
    status: 'Present',
    message: `CSV minKubeVersion (${minimum}) less than server version (${serverVersion})`,
  };
}
