import { describe, expect, it } from 'vitest';
import {
  clusterModeRefusal,
  evictionRefusal,
  fullText,
  historyOf,
  nearlyFullText,
  readServerInfo,
  versionRefusal,
} from './redis-server-info.js';

const MEMORY = '# Memory\r\nused_memory:1048576\r\nmaxmemory:2097152\r\nmaxmemory_policy:allkeys-lru\r\n';

describe('what a Redis says about itself', () => {
  it('is read from the sections that an answer has; what was known of others stays', () => {
    const first = readServerInfo('# Server\r\nrun_id:abc\r\n# Cluster\r\ncluster_enabled:1\r\n');
    expect(readServerInfo(MEMORY, first)).toEqual({
      runId: 'abc',
      clusterMode: true,
      usedBytes: 2 ** 20,
      maxBytes: 2 ** 21,
      evictionPolicy: 'allkeys-lru',
    });
  });

  it.each([
    { now: 'run_id:a\r\nmaster_replid:1\r\n', lacks: false, because: 'nothing has happened' },
    { now: MEMORY, lacks: false, because: 'only the memory was asked for' },
    { now: 'run_id:b\r\nmaster_replid:1\r\n', lacks: true, because: 'another server has the data' },
    { now: 'run_id:a\r\nmaster_replid:2\r\n', lacks: true, because: 'it went to another server and back' },
  ])('shows whether it may lack the last writes: $lacks, $because', ({ now, lacks }) => {
    const before = readServerInfo('run_id:a\r\nmaster_replid:1\r\n');
    expect(historyOf(readServerInfo(now, before)) !== historyOf(before)).toBe(lacks);
  });

  it('says whether it is in Cluster mode', () => {
    expect(clusterModeRefusal(readServerInfo('cluster_enabled:1\r\n'))).toMatch(/Cluster mode.*redis\+sentinel:\/\//);
    expect(clusterModeRefusal(readServerInfo('cluster_enabled:0\r\n'))).toBeUndefined();
    expect(clusterModeRefusal(readServerInfo(''))).toBeUndefined();
  });

  it.each([
    { version: '6.2.14', refused: true },
    { version: '7.0.0', refused: false },
    { version: '8.2.1', refused: false },
    { version: '10.0.0', refused: false },
    { version: 'unstable', refused: false },
    { version: '', refused: false },
  ])('is too old with version "$version": $refused', ({ version, refused }) => {
    const text = versionRefusal(readServerInfo(`redis_version:${version}\r\n`));
    if (refused)
      expect(text).toMatch(
        /^is version 6\.2\.14, but Flotilla needs 7\.0 or newer: set FLOTILLA_REDIS_URL to a newer Redis/,
      );
    else expect(text).toBeUndefined();
  });

  it.each([
    { policy: 'allkeys-lru', maxmemory: 0, removes: false },
    { policy: 'noeviction', maxmemory: 100, removes: false },
    { policy: 'volatile-ttl', maxmemory: 100, removes: true },
    { policy: 'allkeys-random', maxmemory: 100, removes: true },
  ])('removes keys by itself with $policy and maxmemory $maxmemory: $removes', ({ policy, maxmemory, removes }) => {
    const refusal = evictionRefusal(readServerInfo(`maxmemory:${maxmemory}\r\nmaxmemory_policy:${policy}\r\n`));
    if (removes) expect(refusal).toMatch(new RegExp(`maxmemory-policy is ${policy}.*Set maxmemory-policy noeviction`));
    else expect(refusal).toBeUndefined();
  });

  it('says how full it is where it has a limit', () => {
    expect(fullText(readServerInfo(MEMORY))).toMatch(/^OOM, memory is full \(1\.0 MiB of 2\.0 MiB\): raise maxmemory/);
    expect(fullText(readServerInfo(''))).toMatch(/^OOM, memory is full: raise maxmemory/);
    expect(nearlyFullText(readServerInfo(MEMORY))).toBeUndefined();
    expect(nearlyFullText(readServerInfo('used_memory:90\r\nmaxmemory:100\r\n'))).toMatch(/nearly full/);
    expect(nearlyFullText(readServerInfo('used_memory:90\r\nmaxmemory:0\r\n'))).toBeUndefined();
  });
});
