import { afterEach, describe, expect, it } from 'vitest';
import { type DirectCluster, directCluster } from '../direct-client.js';

let direct: DirectCluster | undefined;
afterEach(() => direct?.stop());

const configMap = (text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', namespace: 'default', annotations: { note: text } },
});

describe('annotations', () => {
  it('have 256 KiB together, keys and values', async () => {
    direct = directCluster('lab');
    const { client } = direct;
    const most = 256 * 1024 - 'note'.length;
    await expect(client.create(configMap('x'.repeat(most + 1)))).rejects.toThrow(
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    );
    await client.create(configMap('x'.repeat(most)));
    await expect(
      client.patch(
        { ...configMap(''), name: 'c', namespace: 'default' },
        {
          metadata: { annotations: { other: '' } },
        },
      ),
    ).rejects.toThrow('Too long');
  });
});
