import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../text/any-text.fixture.js';
import { LONGEST_VERDICT, verdictLine } from './verdict-line.js';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('one line about data of others', () => {
  it('goes from the outermost place to what is wrong, and leaves empty places out', () => {
    expect(verdictLine(['image r.example/a:1', '', 'manifests/a.yaml'], 'spec is\n  missing')).toBe(
      'image r.example/a:1: manifests/a.yaml: spec is missing',
    );
  });

  it('shortens a digest before anything else', () => {
    const line = verdictLine([`image registry.example/acme/lamp@${DIGEST}`, 'manifests/lamp.yaml'], 'x'.repeat(90));
    expect(line).toBe(`image registry.example/acme/lamp@sha256:0123456789ab…: manifests/lamp.yaml: ${'x'.repeat(90)}`);
  });

  it('shortens the longest place in its middle, and keeps what is wrong', () => {
    const line = verdictLine([`image ${'a/'.repeat(200)}lamp:1`, 'manifests/lamp.yaml'], 'spec.version is a map');
    expect(line).toHaveLength(LONGEST_VERDICT);
    expect(line).toMatch(/^image a\/a\/.*….*\/a\/lamp:1: manifests\/lamp\.yaml: spec\.version is a map$/);
  });

  it('shortens the places of a line within a line, and keeps its field', () => {
    const inner = verdictLine(
      [`manifests/${'lamps.'.repeat(9)}yaml`, 'CustomResourceDefinition lamps.acme.example.com'],
      'metadata.annotations.port is a number; text is expected',
    );
    const line = verdictLine([`bundle ${'lamp-'.repeat(9)}v1.0.0`, `image ${'a/'.repeat(20)}lamp:1`], inner);
    expect(line.length).toBeLessThanOrEqual(LONGEST_VERDICT);
    expect(line).toMatch(
      /^bundle lamp.*: image a.*: manifests\/la.*yaml: CustomResource.*: metadata\.annotations\.port is a /,
    );
    expect(line).toMatch(/text is expected$/);
  });

  it('knows a place that it has shortened before', () => {
    const field = 'spec.install.spec.deployments[0].spec.template.spec.containers[0].ports[0].containerPort';
    const inner = verdictLine(
      [`manifests/${'lamp-'.repeat(9)}csv.yaml`, `ClusterServiceVersion ${'lamp-'.repeat(9)}v3.5.1`],
      `${field} is the text "8443"; a number is expected: take the quotes away`,
    );
    expect(inner).toContain(`: ${field} is the text "8443"`);
    const line = verdictLine([`bundle ${'lamp-'.repeat(8)}v3.5.1`], inner);
    expect(line.length).toBeLessThanOrEqual(LONGEST_VERDICT);
    expect(line).toContain(`: ${field} is the text "8443"`);
  });

  it.each(['spec.version is a map', 'no csv in bundle: add one', 'Could not find annotations file: add it'])(
    'takes no words for a place: %s',
    (text) => {
      expect(verdictLine(['x'.repeat(30)], `${text} ${'y '.repeat(200)}`)).toMatch(new RegExp(`: ${text} [y ]+…$`));
    },
  );

  it('shortens long names within a text, and keeps what follows on them', () => {
    const line = verdictLine(['bundle lamp.v1.0.0'], `apis in bundle ${'x'.repeat(250)}: no lamps in bundle`);
    expect(line).toMatch(/^bundle lamp\.v1\.0\.0: apis in bundle x+…x+: no lamps in bundle$/);
  });

  it('shortens a long value before the places, and never the field', () => {
    const field = 'spec.install.spec.deployments[0].spec.template.spec.containers[0].env[0].value';
    const line = verdictLine(
      ['bundle bolt-0055.v1.8.4', 'ConfigMap bolt-0055-badge'],
      `${field}: ${'x'.repeat(90)} is no`,
    );
    expect(line).toMatch(/^bundle bolt-0055\.v1\.8\.4: ConfigMap bo\S*-badge: spec\.[^…]*value: x+…x+ is no$/);
  });

  it('cuts the end of a text that is too long by itself', () => {
    const line = verdictLine(['manifests/lamp.yaml'], 'yes '.repeat(100));
    expect(line).toMatch(/^manifests\/lamp\.yaml: (?:yes )+\w*…$/);
    expect(line).toHaveLength(LONGEST_VERDICT);
  });

  it('is one line of at most 200 characters, whatever is written', () => {
    fc.assert(
      fc.property(
        fc.array(anyText({ maxLength: 300 }), { maxLength: 4 }),
        anyText({ maxLength: 400 }),
        (places, text) => {
          const line = verdictLine(places, text);
          expect(line.length).toBeLessThanOrEqual(LONGEST_VERDICT);
          expect(line).not.toContain('\n');
          expect(line.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});
