import { expect, it } from 'vitest';
import { releaseFit } from './release-fit.js';

it.each([
  { command: '0.1.0', hub: '0.1.0', compatible: true, because: 'they are equal' },
  { command: '0.1.0', hub: '0.1.7', compatible: true, because: 'a patch of 0.x is compatible' },
  { command: '0.1.7', hub: '0.1.0', compatible: true, because: 'either may be the newer one' },
  { command: '0.2.0', hub: '0.1.0', compatible: false, because: 'a minor version of 0.x is not' },
  { command: '1.2.0', hub: '1.9.3', compatible: true, because: 'a minor version is compatible from 1.0 on' },
  { command: '2.0.0', hub: '1.9.3', compatible: false, because: 'a major version is not' },
  { command: '1.3.0-rc.1', hub: '1.2.0', compatible: true, because: 'a prerelease counts as a version' },
])('$command and $hub: $because', ({ command, hub, compatible }) => {
  const incompatible = `no: releases ${command} and ${hub} are not compatible: use the command of the hub's release`;
  expect(releaseFit(command, hub)).toEqual({
    fits: compatible,
    text: compatible ? 'yes: command and hub are of compatible releases' : incompatible,
  });
});

it('does not compare what is no version', () => expect(releaseFit('0.1.0', 'main')).toBeUndefined());
