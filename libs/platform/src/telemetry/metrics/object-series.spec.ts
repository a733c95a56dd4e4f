import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { isShared, ObjectLabels, ObjectSeries } from './object-series.js';

/** A gauge for objects with a name and a reason, of which `limit` clusters are named. */
function gaugeOf(limit: number) {
  const registry = new Registry();
  const labelNames = ['cluster', 'name', 'reason'];
  const gauge = new Gauge({ name: 'g', help: 'h', labelNames, registers: [registry] });
  const series = new ObjectSeries(gauge, limit, ['name']);
  const shown = async () => {
    const { values } = await gauge.get();
    return values
      .map(({ labels, value }) => `${labels['cluster']}/${labels['name']}/${labels['reason']}=${value}`)
      .toSorted();
  };
  return { series, shown };
}
const labels = (name: string, reason = 'r') => ({ name, reason });

describe('ObjectSeries', () => {
  it('has one series per object', async () => {
    const { series, shown } = gaugeOf(2);
    series.set('east', 'a', labels('a'), 1);
    series.set('east', 'b', labels('b'), 0);
    series.set('west', 'a', labels('a'), 1);
    expect(await shown()).toEqual(['east/a/r=1', 'east/b/r=0', 'west/a/r=1']);
  });

  it('follows an object whose labels change', async () => {
    const { series, shown } = gaugeOf(2);
    series.set('east', 'a', labels('a', 'one'), 1);
    series.set('east', 'a', labels('a', 'two'), 1);
    expect(await shown()).toEqual(['east/a/two=1']);
  });

  it('drops the series of an object that is gone, and only that', async () => {
    const { series, shown } = gaugeOf(2);
    series.set('east', 'a', labels('a'), 1);
    series.set('west', 'a', labels('a'), 1);
    series.delete('east', 'a');
    series.delete('east', 'never there');
    series.delete('north', 'a');
    expect(await shown()).toEqual(['west/a/r=1']);
  });

  it('has one sum for the clusters beyond the limit, by what does not name an object', async () => {
    const { series, shown } = gaugeOf(1);
    series.set('east', 'a', labels('a'), 1);
    for (const [cluster, name, reason] of [
      ['west', 'a', 'r'],
      ['west', 'b', 'r'],
      ['north', 'a', 'r'],
      ['north', 'c', 's'],
    ] as const) {
      series.set(cluster, name, labels(name, reason), 1);
    }
    expect(await shown()).toEqual(['//r=3', '//s=1', 'east/a/r=1']);
  });

  it('takes from the sum what changes or goes', async () => {
    const { series, shown } = gaugeOf(0);
    series.set('west', 'a', labels('a'), 1);
    series.set('west', 'a', labels('a'), 3);
    series.set('north', 'a', labels('a'), 2);
    expect(await shown()).toEqual(['//r=5']);
    series.delete('north', 'a');
    expect(await shown()).toEqual(['//r=3']);
    series.set('west', 'a', labels('a', 's'), 3);
    expect(await shown()).toEqual(['//r=0', '//s=3']);
  });

  it('has nothing of a cluster that has left, whose place another one takes', async () => {
    const { series, shown } = gaugeOf(1);
    series.set('east', 'a', labels('a'), 1);
    series.set('east', 'b', labels('b'), 1);
    series.set('west', 'a', labels('a'), 1);
    series.forget('east');
    expect(await shown()).toEqual(['//r=1']);
    series.set('west', 'a', labels('a'), 1);
    expect(await shown()).toEqual(['//r=0', 'west/a/r=1']);
  });

  it('takes what a cluster had from the sum when it leaves', async () => {
    const { series, shown } = gaugeOf(0);
    series.set('east', 'a', labels('a'), 2);
    series.set('west', 'a', labels('a'), 1);
    series.forget('east');
    series.forget('east');
    expect(await shown()).toEqual(['//r=1']);
  });
});

describe('ObjectLabels', () => {
  it('names a cluster that was named before, however many come after it', () => {
    const names = new ObjectLabels(1, ['name']);
    const of = (cluster: string) => names.of(cluster, labels('a'));
    expect([of('east'), of('west'), of('east')].map(isShared)).toEqual([false, true, false]);
    expect(of('west')).toEqual({ cluster: '', name: '', reason: 'r' });
  });
});
