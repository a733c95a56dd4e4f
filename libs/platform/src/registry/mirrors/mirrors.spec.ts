import { describe, expect, it } from 'vitest';
import { parseImageReference } from '../client/image-reference.js';
import { type MirrorRule, parseMirrorSets } from './mirror-sets.js';
import { pullPlaces } from './pull-places.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;

const digests = (entries: string) => `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: {name: d}
spec:
  imageDigestMirrors: [${entries}]
`;
const tags = (entries: string) => digests(entries).replace(/DigestMirror/g, 'TagMirror');
const rule = (part: Partial<MirrorRule> & Pick<MirrorRule, 'source'>): MirrorRule => ({
  digestMirrors: [],
  tagMirrors: [],
  contactsSource: true,
  ...part,
});

describe('parseMirrorSets', () => {
  it.each([
    {
      because: 'sets of both kinds for one source are one rule',
      text: `${digests('{source: r.test/a, mirrors: [m.test/a]}')}---\n${tags('{source: r.test/a, mirrors: [t.test]}')}`,
      rules: [rule({ source: 'r.test/a', digestMirrors: ['m.test/a'], tagMirrors: ['t.test'] })],
    },
    {
      because: 'the same source twice: mirrors in order, each once',
      text: digests('{source: r.test, mirrors: [a.test, b.test]}, {source: r.test, mirrors: [b.test, c.test]}'),
      rules: [rule({ source: 'r.test', digestMirrors: ['a.test', 'b.test', 'c.test'] })],
    },
    {
      because: 'the source may be shut out',
      text: digests('{source: r.test, mirrors: [a.test], mirrorSourcePolicy: NeverContactSource}'),
      rules: [rule({ source: 'r.test', digestMirrors: ['a.test'], contactsSource: false })],
    },
    {
      because: 'the older kind, in a List, as "oc get -o json" writes it',
      text: JSON.stringify({
        kind: 'List',
        items: [
          {
            kind: 'ImageContentSourcePolicy',
            spec: { repositoryDigestMirrors: [{ source: 'r.test:5000/a', mirrors: ['localhost:5000/b'] }] },
          },
        ],
      }),
      rules: [rule({ source: 'r.test:5000/a', digestMirrors: ['localhost:5000/b'] })],
    },
    { because: 'all hosts of a domain', text: digests('{source: "*.r.test"}'), rules: [rule({ source: '*.r.test' })] },
    { because: 'an empty file has no rules', text: '', rules: [] },
  ])('$because', ({ text, rules }) => {
    expect(parseMirrorSets(text, 'mirrors.yaml')).toEqual(rules);
  });

  it.each([
    { because: 'not YAML', text: '{', says: 'mirrors.yaml is not YAML' },
    { because: 'another kind', text: 'kind: Pod', says: 'document 1 is a Pod; expected ImageDigestMirrorSet' },
    { because: 'no kind', text: 'mirrors: []', says: 'document 1: kind' },
    {
      because: 'a policy that is none',
      text: digests('{source: r.test, mirrorSourcePolicy: Sometimes}'),
      says: 'mirrorSourcePolicy',
    },
    { because: 'a source with a scheme', text: digests('{source: "https://r.test"}'), says: 'is not a source' },
    {
      because: 'a mirror with a tag',
      text: digests('{source: r.test, mirrors: ["m.test/a:v1"]}'),
      says: 'is not a mirror',
    },
    {
      because: 'policies that contradict each other',
      text: digests('{source: r.test}, {source: r.test, mirrorSourcePolicy: NeverContactSource}'),
      says: 'imageDigestMirrors[1]: different values of mirrorSourcePolicy for the source "r.test"',
    },
    {
      because: 'a source that is shut out and its own mirror',
      text: digests('{source: r.test, mirrors: [r.test], mirrorSourcePolicy: NeverContactSource}'),
      says: 'its own mirror',
    },
    {
      because: 'aliases that multiply',
      text: `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]\n`,
      says: 'alias',
    },
  ])('refuses and says where: $because', ({ text, says }) => {
    expect(() => parseMirrorSets(text, 'mirrors.yaml')).toThrow(says);
  });
});

describe('pullPlaces', () => {
  it.each([
    { because: 'no rule', rules: [], image: 'r.test/a/b:v1', places: ['r.test/a/b:v1'] },
    {
      because: 'mirrors for digests in order, then the source',
      rules: [rule({ source: 'r.test', digestMirrors: ['m.test', 'n.test/deep'] })],
      image: `r.test/a/b@${DIGEST}`,
      places: [`m.test/a/b@${DIGEST}`, `n.test/deep/a/b@${DIGEST}`, `r.test/a/b@${DIGEST}`],
    },
    {
      because: 'mirrors for digests are not asked for tags',
      rules: [rule({ source: 'r.test', digestMirrors: ['m.test'] })],
      image: 'r.test/a:v1',
      places: ['r.test/a:v1'],
    },
    {
      because: 'mirrors for tags are not asked for digests',
      rules: [rule({ source: 'r.test', tagMirrors: ['m.test'] })],
      image: `r.test/a@${DIGEST}`,
      places: [`r.test/a@${DIGEST}`],
    },
    {
      because: 'a tag beside a digest plays no part',
      rules: [rule({ source: 'r.test', digestMirrors: ['m.test'], contactsSource: false })],
      image: `r.test/a:v1@${DIGEST}`,
      places: [`m.test/a@${DIGEST}`],
    },
    {
      because: 'the longest source alone counts, even without mirrors of this kind',
      rules: [
        rule({ source: 'r.test', tagMirrors: ['m.test'] }),
        rule({ source: 'r.test/a/b', digestMirrors: ['n.test'] }),
      ],
      image: 'r.test/a/b:v1',
      places: ['r.test/a/b:v1'],
    },
    {
      because: 'a source ends at a slash',
      rules: [rule({ source: 'r.test/a', tagMirrors: ['m.test'] })],
      image: 'r.test/ab:v1',
      places: ['r.test/ab:v1'],
    },
    {
      because: 'a whole repository moves to another name',
      rules: [rule({ source: 'r.test/a/b', tagMirrors: ['m.test/c'] })],
      image: 'r.test/a/b:v1',
      places: ['m.test/c:v1', 'r.test/a/b:v1'],
    },
    {
      because: 'all hosts of a domain, but not the domain itself',
      rules: [rule({ source: '*.r.test', tagMirrors: ['m.test/all'] })],
      image: 'x.r.test/a:v1',
      places: ['m.test/all/a:v1', 'x.r.test/a:v1'],
    },
    {
      because: 'a domain itself is not below it',
      rules: [rule({ source: '*.r.test', tagMirrors: ['m.test/all'] })],
      image: 'r.test/a:v1',
      places: ['r.test/a:v1'],
    },
    {
      because: 'Docker Hub under its full name',
      rules: [rule({ source: 'docker.io/library', tagMirrors: ['m.test/hub'] })],
      image: 'busybox',
      places: ['m.test/hub/busybox:latest', 'busybox'],
    },
    {
      because: 'the source among its mirrors is asked once, last',
      rules: [rule({ source: 'r.test', tagMirrors: ['r.test', 'm.test'] })],
      image: 'r.test/a:v1',
      places: ['m.test/a:v1', 'r.test/a:v1'],
    },
    {
      because: 'nothing is left when the source is shut out',
      rules: [rule({ source: 'r.test', digestMirrors: ['m.test'], contactsSource: false })],
      image: 'r.test/a:v1',
      places: [],
    },
  ])('$image: $because', ({ rules, image, places }) => {
    expect(pullPlaces(parseImageReference(image), rules).map(({ text }) => text)).toEqual(places);
  });
});
