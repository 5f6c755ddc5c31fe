import { describe, expect, it } from 'vitest';
import type { Heartbeat } from '../../../src/gate/heartbeats/heartbeat.ts';
import type { CurrentStorage } from './conformance.ts';
import { at } from './samples.ts';

const aHeartbeat = (gateId: string): Heartbeat => ({
  gateId,
  baseUrl: 'https://gate.example',
  version: '1.2.3',
  startedAt: at(1),
});

export function describeHeartbeats(storage: CurrentStorage): void {
  const now = () => new Date().toISOString();
  const save = (heartbeat: Heartbeat) => storage().transaction((tx) => tx.saveHeartbeat(heartbeat, now()));
  const list = () => storage().read.listHeartbeats(now());

  describe('heartbeats', () => {
    it('describe each gate, and show how long it has been silent', async () => {
      await save(aHeartbeat('b'));
      await save(aHeartbeat('a'));
      const heard = await list();
      expect(heard).toEqual([
        { ...aHeartbeat('a'), silentSeconds: expect.any(Number) },
        { ...aHeartbeat('b'), silentSeconds: expect.any(Number) },
      ]);
      for (const { silentSeconds } of heard) expect(Math.abs(silentSeconds)).toBeLessThan(30);
    });

    it('reset the time of silence, and change nothing else', async () => {
      await save(aHeartbeat('a'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      const begun = performance.now();
      await save({ ...aHeartbeat('a'), baseUrl: 'https://other.example' });
      const [after, ...others] = await list();
      // The silence counts from the second heartbeat, however slow the machine is. Clocks count in milliseconds.
      const longest = (performance.now() - begun + 5) / 1000;
      expect(others).toEqual([]);
      expect(after).toMatchObject(aHeartbeat('a'));
      expect(after?.silentSeconds).toBeLessThanOrEqual(longest);
    });

    it('can be removed', async () => {
      await save(aHeartbeat('a'));
      await save(aHeartbeat('b'));
      await storage().transaction((tx) => tx.deleteHeartbeat('a'));
      expect((await list()).map(({ gateId }) => gateId)).toEqual(['b']);
    });
  });
}
