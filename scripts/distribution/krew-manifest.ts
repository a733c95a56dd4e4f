import { dump } from 'js-yaml';

/** An archive, as krew fetches and checks it. */
type KrewArchive = Readonly<{ uri: string; sha256: string }>;

type KrewFacts = KrewArchive &
  Readonly<{
    version: string;
    homepage: string;
    /** The command as one file for Linux on amd64, if it was made, and the folder in its archive. */
    oneFile?: (KrewArchive & Readonly<{ folder: string }>) | undefined;
  }>;

/**
 * Returns the manifest of the kubectl plugin, for krew. Its archive is the npm package: the command and all
 * that it needs but Node. Tests run on Linux with amd64: there the command as one file brings Node, too. krew
 * takes the first platform that fits. Windows is left out: the file for it is not tried.
 */
export function krewManifest({ version, uri, sha256, homepage, oneFile }: KrewFacts): string {
  const needsNode = oneFile === undefined ? '' : ', but for Linux on amd64';
  return dump({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'flotilla' },
    spec: {
      version: `v${version}`,
      homepage,
      shortDescription: 'Operators of many clusters, from one hub',
      description: [
        'Installs, upgrades and connects operators from catalogs in many clusters, with the resources of OLM:',
        'shows and explains what is installed, plans upgrades, checks and serves catalogs.',
        '',
      ].join('\n'),
      caveats: `Needs Node 24 or newer on the PATH${needsNode}: https://nodejs.org\nBegin with: kubectl flotilla doctor\n`,
      platforms: [
        ...(oneFile === undefined ? [] : [oneFilePlatform(oneFile)]),
        {
          selector: { matchExpressions: [{ key: 'os', operator: 'In', values: ['darwin', 'linux'] }] },
          uri,
          sha256,
          files: [{ from: 'package/*', to: '.' }],
          bin: 'bin/flotilla.js',
        },
      ],
    },
  });
}

const oneFilePlatform = ({ uri, sha256, folder }: KrewArchive & Readonly<{ folder: string }>) => ({
  selector: { matchLabels: { os: 'linux', arch: 'amd64' } },
  uri,
  sha256,
  files: [{ from: `${folder}/*`, to: '.' }],
  bin: 'flotilla',
});
