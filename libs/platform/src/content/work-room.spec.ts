import { describe, expect, it } from 'vitest';
import { NoRoomForWork, WorkRoom } from './work-room.js';

const MiB = 1024 * 1024;
const owner = (cluster: string, namespace = 'a') => ({ cluster, namespace });

describe('WorkRoom', () => {
  it('counts what all work has taken and not given back', () => {
    const room = new WorkRoom();
    const one = room.open(owner('east'));
    const two = room.open(owner('west'));
    one.take(10);
    two.take(5);
    one.take(-4);
    expect(room.bytes).toBe(11);
    one.close();
    expect(room.bytes).toBe(5);
    two.close();
    two.close();
    expect(room.bytes).toBe(0);
  });

  it('ends the work of the owner that holds most, also where another one asks for more', () => {
    const room = new WorkRoom(100);
    const large = room.open(owner('east'));
    const small = room.open(owner('west'));
    large.take(80);
    small.take(21);
    expect([large.signal.aborted, small.signal.aborted, room.bytes]).toEqual([true, false, 21]);
    expect(() => large.take(1)).toThrow(NoRoomForWork);
    expect(room.bytes).toBe(21);
  });

  it('fails the one that asks where it is the largest itself, and says how much it had', () => {
    const room = new WorkRoom(100);
    const other = room.open(owner('west'));
    other.take(40);
    const one = room.open(owner('east'));
    expect(() => one.take(61)).toThrow(
      expect.objectContaining({
        code: 'NoRoomForWork',
        retry: 'backoff',
        message: expect.stringMatching(/after 61 bytes.*may use 100 bytes/),
      }),
    );
    expect([other.signal.aborted, room.bytes]).toEqual([false, 40]);
  });

  it('allows as much as its limit', () => {
    const room = new WorkRoom(100);
    const one = room.open(owner('east'));
    expect(() => one.take(100)).not.toThrow();
  });

  it('reports each time that the work has grown by 16 MiB', () => {
    let grown = 0;
    const room = new WorkRoom(Number.POSITIVE_INFINITY, () => {
      grown += 1;
    });
    const one = room.open(owner('east'));
    const counts = [15, 1, 15, 1, -32, 15, 1].map((size) => {
      one.take(size * MiB);
      return grown;
    });
    expect(counts).toEqual([0, 1, 1, 2, 2, 2, 3]);
  });
});
