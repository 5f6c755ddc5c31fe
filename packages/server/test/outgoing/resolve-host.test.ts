/**
 * People choose the names that the gate resolves. The name servers of one name cannot keep other names from being
 * resolved.
 */
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveHost } from '../../src/outgoing/resolve-host.ts';

const A = 1;
const NO_SUCH_NAME = 3;
const LONGER_THAN_ANY_TEST = 600_000;

let server: Socket;
let servers: string[];
/** The names that were queried. */
let asked: string[];
/** Functions that send the delayed answers of silent servers. */
let heldBack: (() => void)[];
beforeEach(async () => {
  asked = [];
  heldBack = [];
  server = createSocket('udp4');
  server.on('message', (question, { port, address }) => {
    const name = nameIn(question);
    asked.push(name);
    const answer = () => server.send(answerTo(question, name), port, address);
    if (name.startsWith('silent')) heldBack.push(answer);
    else answer();
  });
  await new Promise<void>((done) => server.bind(0, '127.0.0.1', done));
  servers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
});
afterEach(() => new Promise<void>((done) => server.close(() => done())));

/** RFC 1035 §4.1.2: labels, each after its length. */
function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; (question[at] ?? 0) > 0; at += (question[at] ?? 0) + 1) {
    labels.push(question.toString('ascii', at + 1, at + 1 + (question[at] ?? 0)));
  }
  return labels.join('.').toLowerCase();
}

/** Answers 93.184.215.14 for `known.example` and for silent names, without IPv6. No other name exists. */
function answerTo(question: Buffer, name: string): Buffer {
  const end = 12 + name.length + 2 + 4;
  const exists = name === 'known.example' || name.startsWith('silent');
  const isAnswered = exists && question.readUInt16BE(end - 4) === A;
  const head = Buffer.from(question.subarray(0, 12));
  head.writeUInt16BE(0x8180 | (exists ? 0 : NO_SUCH_NAME), 2);
  head.writeUInt16BE(isAnswered ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  const record = [0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 215, 14];
  return Buffer.concat([head, question.subarray(12, end), Buffer.from(isAnswered ? record : [])]);
}

test('many names with silent servers delay neither another name nor the lookups of the system', async () => {
  const silent = Array.from({ length: 16 }, (_, n) =>
    resolveHost(`silent${n}.example`, { servers, timeoutMs: LONGER_THAN_ANY_TEST }),
  );
  await expect.poll(() => new Set(asked.filter((name) => name.startsWith('silent'))).size).toBe(16);
  expect(await resolveHost('known.example', { servers, timeoutMs: LONGER_THAN_ANY_TEST })).toEqual([
    '93.184.215.14',
  ]);
  expect((await lookup('localhost')).address).toMatch(/^(127\.|::1$)/);
  expect(await Promise.race([...silent, 'they still wait'])).toBe('they still wait');
  await expect.poll(() => heldBack.length).toBe(32);
  for (const answer of heldBack) answer();
  for (const addresses of await Promise.all(silent)) expect(addresses).toEqual(['93.184.215.14']);
});

test('a name whose servers are silent is given up, without asking the system', async () => {
  const silent = resolveHost('silent.example', { servers, timeoutMs: 200 });
  await expect(silent).rejects.toMatchObject({ code: 'ETIMEOUT', syscall: expect.stringMatching(/^query/) });
});

test('entries in the hosts file take precedence over name servers', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'permitry-hosts-'));
  const hostsFile = join(directory, 'hosts');
  await writeFile(
    hostsFile,
    '# 10.9.9.9 known.example\n10.0.0.7\tother.example Known.Example # internal\n::1 known.example\n10.0.0.8 known.example.org\n',
  );
  expect(await resolveHost('known.example', { servers, hostsFile })).toEqual(['10.0.0.7', '::1']);
  expect(await resolveHost('KNOWN.example.', { servers, hostsFile })).toEqual(['10.0.0.7', '::1']);
  expect(asked).toEqual([]);
  const missing = join(directory, 'none');
  expect(await resolveHost('known.example', { servers, hostsFile: missing })).toEqual(['93.184.215.14']);
  await rm(directory, { recursive: true });
});

test('a name that no name server knows is looked up by the system, and is not found if the system does not know it', async () => {
  const refused = expect(resolveHost('nobody.invalid', { servers })).rejects;
  await refused.toMatchObject({ syscall: 'getaddrinfo' });
  expect(asked).toContain('nobody.invalid');
});
