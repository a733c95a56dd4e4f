import { dump } from 'js-yaml';

type KrewFacts = Readonly<{
  version: string;
  /** Where the archive is, as krew fetches it. */
  uri: string;
  sha256: string;
  homepage: string;
}>;

/**
 * The manifest of the kubectl plugin, for krew. Its archive is the npm package: the command and all that it
 * needs but Node. Windows is left out, since krew cannot start a script of Node there.
 */
export function krewManifest({ version, uri, sha256, homepage }: KrewFacts): string {
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
      caveats: 'Needs Node 24 or newer on the PATH: https://nodejs.org\nBegin with: kubectl flotilla doctor\n',
      platforms: [
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
