import { describe, expect, it } from 'vitest';
import { acceptsGzip } from './accepts-gzip.js';
import { readRange } from './byte-range.js';
import { catalogNameProblem } from './catalog-name.js';
import { httpDate, parseHttpDate } from './http-date.js';
import { readMetasQuery } from './metas-query.js';
import { CATALOGS, CATALOGS_OF_CLUSTERS, routeMetas } from './metas-route.js';
import { planAll, planMetas } from './plan-response.js';

const modified = new Date('2026-03-01T12:00:00.700Z');
const LM = httpDate(modified);
const HOUR_BEFORE = httpDate(new Date(modified.getTime() - 3_600_000));
const content = { size: 5_000, modified };
const get = (headers: Readonly<Record<string, string>> = {}, method = 'GET') => ({ method, headers });
const bytes = (range: string) => ({ range: `bytes=${range}` });

describe('all', () => {
  it.each([
    { headers: { 'if-none-match': '"a", W/"b" , *' }, status: 304, because: 'a star at the end of a list counts' },
    { headers: { 'if-none-match': 'a, *' }, status: 200, because: 'what stands behind no tag is not looked at' },
    {
      headers: { 'if-none-match': '"a"', 'if-modified-since': LM },
      status: 200,
      because: 'with If-None-Match the date is not asked',
    },
    {
      headers: { 'if-match': '*', 'if-unmodified-since': HOUR_BEFORE },
      status: 200,
      because: 'with If-Match the date is not asked',
    },
    { headers: { 'if-match': 'odd' }, status: 412, because: 'no tag matches' },
    { headers: { 'if-unmodified-since': 'odd' }, status: 200, because: 'a date that is none is passed over' },
    { headers: { 'if-modified-since': 'Sunday, 01-Mar-26 12:00:00 GMT' }, status: 304, because: 'RFC 850 is a date' },
    { headers: { 'if-modified-since': 'Sun Mar  1 12:00:00 2026' }, status: 304, because: 'asctime is a date' },
    { headers: { ...bytes('0-9'), 'if-range': LM }, status: 206, because: 'the very date' },
    { headers: { ...bytes('0-9'), 'if-range': HOUR_BEFORE }, status: 200, because: 'another date' },
    { headers: { ...bytes('0-9'), 'if-range': '"a"' }, status: 200, because: 'there is no ETag' },
    { headers: { ...bytes('0-9'), 'if-none-match': '*' }, status: 304, because: 'conditions come first' },
  ])('$status for $headers: $because', ({ headers, status }) => {
    expect(planAll(get(headers), content).status).toBe(status);
  });

  it.each([
    { range: 'bytes=-100', gives: 'bytes 4900-4999/5000', length: '100' },
    { range: 'bytes=4990-', gives: 'bytes 4990-4999/5000', length: '10' },
    { range: 'bytes= 4990 - 9999 ', gives: 'bytes 4990-4999/5000', length: '10' },
    { range: 'bytes=-9999', gives: 'bytes 0-4999/5000', length: '5000' },
    { range: 'bytes=0-0,,', gives: 'bytes 0-0/5000', length: '1' },
  ])('gives $gives for $range', ({ range, gives, length }) => {
    const plan = planAll(get({ range, 'accept-encoding': 'gzip' }), content);
    expect(plan).toMatchObject({ status: 206, gzip: false });
    expect(plan.headers).toMatchObject({ 'Content-Range': gives, 'Content-Length': length });
  });

  it.each([
    { range: 'bytes=5000-', body: 'invalid range: failed to overlap\n', shown: 'bytes */5000' },
    { range: 'bytes=9-1', body: 'invalid range\n', shown: undefined },
    { range: 'bytes=a-b', body: 'invalid range\n', shown: undefined },
    { range: 'bytes=-', body: 'invalid range\n', shown: undefined },
    { range: 'lines=1-2', body: 'invalid range\n', shown: undefined },
  ])('416 for $range', ({ range, body, shown }) => {
    const plan = planAll(get({ range }), content);
    expect({ status: plan.status, body: plan.body, shown: plan.headers['Content-Range'] }).toEqual({
      status: 416,
      body: [body],
      shown,
    });
    expect(plan.headers).not.toHaveProperty('Last-Modified');
  });

  it('gives several ranges as parts, with the length of them all', () => {
    const plan = planAll(get(bytes('0-1,-2')), content);
    const text = plan.body.map((piece) => (typeof piece === 'string' ? piece : 'x'.repeat(piece.length))).join('');
    expect(plan.headers['Content-Length']).toBe(String(text.length));
    expect(text.split('--flotilla-part-of-catalog')).toEqual([
      '',
      '\r\nContent-Range: bytes 0-1/5000\r\nContent-Type: application/jsonl\r\n\r\nxx\r\n',
      '\r\nContent-Range: bytes 4998-4999/5000\r\nContent-Type: application/jsonl\r\n\r\nxx\r\n',
      '--\r\n',
    ]);
  });

  it('gives the whole where ranges ask for more than there is, and of nothing nothing', () => {
    expect(planAll(get(bytes('0-4000,0-4000')), content).status).toBe(200);
    expect(planAll(get(bytes('0-9')), { ...content, size: 0 })).toMatchObject({ status: 200, body: [] });
    expect(readRange(`bytes=${'0-0,'.repeat(65)}`, 5_000)).toEqual({ kind: 'whole' });
  });

  it('never compresses the answer to HEAD, and says how long it is', () => {
    expect(planAll(get({ 'accept-encoding': 'gzip' }, 'HEAD'), content)).toMatchObject({
      gzip: false,
      body: [],
      headers: { 'Content-Length': '5000', 'Accept-Ranges': 'bytes' },
    });
  });
});

describe('metas', () => {
  it.each([
    { length: 1_023, gzip: false },
    { length: 1_024, gzip: true },
  ])('a body of $length bytes is compressed: $gzip', ({ length, gzip }) => {
    const plan = planMetas(get({ 'accept-encoding': 'br, gzip' }), content, () => [{ start: 7, length }]);
    expect(plan.gzip).toBe(gzip);
    expect(plan.headers['Content-Length']).toBe(gzip ? undefined : String(length));
  });

  it('reads nothing for HEAD, nor for what the client has', () => {
    const ranges = () => {
      throw new Error('looked up');
    };
    expect(planMetas(get({}, 'HEAD'), content, ranges).status).toBe(200);
    expect(planMetas(get({ 'if-modified-since': LM }), content, ranges).status).toBe(304);
  });
});

describe('what a request says', () => {
  it.each([
    { header: undefined, takes: false },
    { header: 'gzip;q=0', takes: false },
    { header: 'deflate, GZIP;q=0.1', takes: true },
    { header: '*', takes: false },
    { header: 'x-gzip', takes: false },
    { header: 'gzip;q=odd', takes: false },
  ])('Accept-Encoding $header: gzip $takes', ({ header, takes }) => {
    expect(acceptsGzip(header)).toBe(takes);
  });

  it.each([
    { query: '', gives: {} },
    { query: 'schema=a&package=b&name=c', gives: { schema: 'a', package: 'b', name: 'c' } },
    { query: 'schema', gives: {} },
    { query: 'schema=&schema=b', gives: {} },
    { query: 'name=a%2Bb+c&&', gives: { name: 'a+b c' } },
    { query: 'name=%zz&schema=a', gives: { schema: 'a' } },
    { query: 'name=a;b&schema=a', gives: { schema: 'a' } },
    { query: '__proto__=1', gives: undefined },
    { query: '=1', gives: undefined },
  ])('query "$query"', ({ query, gives }) => {
    expect(readMetasQuery(query)).toEqual(gives);
  });

  it.each([
    { text: 'Sun, 01 Mar 2026 12:00:00 GMT', seconds: 1_772_366_400 },
    { text: 'Sunday, 06-Nov-94 08:49:37 GMT', seconds: 784_111_777 },
    { text: 'Sun Nov  6 08:49:37 1994', seconds: 784_111_777 },
    { text: 'Sun, 31 Feb 2026 12:00:00 GMT', seconds: undefined },
    { text: 'Sun, 01 Mar 2026 24:00:00 GMT', seconds: undefined },
    { text: '2026-03-01T12:00:00Z', seconds: undefined },
  ])('date $text', ({ text, seconds }) => {
    expect(parseHttpDate(text)).toBe(seconds);
  });

  it.each([
    { name: 'shop.v1', fine: true },
    { name: 'a'.repeat(254), fine: false },
    { name: 'Shop', fine: false },
    { name: '-a', fine: false },
    { name: 'a..b', fine: false },
  ])('name $name', ({ name, fine }) => {
    expect(catalogNameProblem(name) === undefined).toBe(fine);
  });

  it.each([
    { place: CATALOGS_OF_CLUSTERS, path: '/clusters/a%2Fb/catalogs/shop/api/v1/all', names: ['a/b', 'shop'] },
    { place: CATALOGS, path: '/catalogs/shop/api/v1/metas', names: ['shop'] },
    { place: CATALOGS, path: '/catalogs//api/v1/metas', status: 404 },
    { place: CATALOGS, path: '/catalogs/shop/api/v1/%zz', status: 400 },
    { place: CATALOGS, path: '/clusters/a/catalogs/shop/api/v1/all', status: 404 },
  ])('path $path', ({ place, path, names, status }) => {
    expect(routeMetas(place, 'GET', path)).toMatchObject(names === undefined ? { status } : { names });
  });
});
