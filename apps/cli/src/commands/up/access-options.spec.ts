import { describe, expect, it } from 'vitest';
import { accessOf, accessToAll } from './access-options.js';

describe('the options by which commands reach what "flotilla up" manages', () => {
  it('name the files and the context, as words of a shell', () => {
    const named = { kubeconfigs: ['my config', 'b.yaml'], contexts: [] };
    expect(accessOf(named)('east')).toBe("--kubeconfig 'my config' --kubeconfig b.yaml --context east");
    expect(accessOf({ kubeconfigs: [], contexts: [] })('arn:aws:eks:x')).toBe('--context arn:aws:eks:x');
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
