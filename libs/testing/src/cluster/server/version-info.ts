import type { JsonObject } from '../objects/json.js';

/** The body of `/version` for a gitVersion such as `v1.34.4`. */
export function versionInfo(gitVersion: string): JsonObject {
  const [major = '1', minor = '0'] = gitVersion.replace(/^v/, '').split('.');
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'go1.24',
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
