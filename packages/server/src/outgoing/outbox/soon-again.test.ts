import { expect, test } from 'vitest';
import { SoonAgain } from './soon-again.ts';

test('work runs once at a time, and only once more however often it is requested during a run', async () => {
  let [underWay, most, runs] = [0, 0, 0];
  const work = new SoonAgain(async () => {
    runs += 1;
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((done) => setTimeout(done, 5));
    underWay -= 1;
  });
  for (let n = 0; n < 5; n += 1) work.soon();
  await work.idle();
  expect({ runs, most }).toEqual({ runs: 2, most: 1 });
  work.soon();
  await work.idle();
  expect(runs).toBe(3);
});

test('a request for work at the end of a run is not lost', async () => {
  let runs = 0;
  const work = new SoonAgain(async () => {
    runs += 1;
  });
  work.soon();
  void work.idle().then(() => work.soon());
  await expect.poll(() => runs).toBe(2);
});
