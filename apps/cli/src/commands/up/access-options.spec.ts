import { describe, expect, it } from 'vitest';
import { accessOf, accessToAll } from './access-options.js';

describe('the options by which commands reach what "flotilla up" manages', () => {
  it('name the file and the context of each cluster, as words of a shell', () => {
    const logins = {
      default: { file: 'east config', context: 'default' },
      'default-2': { file: 'west.yaml', context: 'default' },
      laptop: { file: '/home/jane/.kube/config', context: 'arn:aws:eks:x' },
    };
    const access = accessOf((cluster) => logins[cluster as keyof typeof logins], { HOME: '/home/jane' });
    expect(access('default')).toBe("--kubeconfig 'east config' --context default");
    expect(access('default-2')).toBe('--kubeconfig west.yaml --context default');
    expect(access('laptop'), 'a file that kubectl reads by itself').toBe('--context arn:aws:eks:x');
    expect(access('store-01'), 'a login in a Secret').toBe('--kubeconfig FILE');
  });

  it.each([
    { what: 'nothing was named', kubeconfigs: [], contexts: [], options: [] },
    { what: 'a file was named', kubeconfigs: ['k'], contexts: [], options: ['--kubeconfig k'] },
    { what: 'one is named twice', kubeconfigs: [], contexts: ['a', 'b', 'a'], options: ['--context a', '--context b'] },
    { what: 'there are many', kubeconfigs: ['k'], contexts: [...'abcdefghijk'], options: ['--kubeconfig k'] },
  ])('for all of them, where $what', ({ kubeconfigs, contexts, options }) => {
    expect(accessToAll({ kubeconfigs, contexts })).toEqual(options);
  });
});
