import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, test } from 'vitest';
import type { PolicyRequest } from '../outcome.ts';
import { compileCondition, type Verdict } from './condition.ts';
import { toSubject } from './variables.ts';

const REQUEST: PolicyRequest = {
  action: 'payments.refund',
  params: {
    amount: 5000,
    half: 0.5,
    currency: 'EUR',
    express: true,
    note: null,
    to: 'ann@example.com',
    tags: ['a', 'b'],
    items: [{ price: 10 }, { price: 30, gift: true }],
    address: { city: 'Ulm', 'a-b': 1 },
    constructor: 'mine',
  },
  metadata: { ticket: 'T-1' },
  source: 'billing',
  sourceType: 'ai_agent',
  riskTier: 'medium',
  proofTier: 'none',
  agent: { id: 'agt_1', name: 'refund-bot', riskTier: 'low', labels: { team: 'billing' } },
  approvers: [],
  minApprovals: null,
  // A Friday; 07:30 in Berlin.
  now: '2026-11-20T06:30:00.000Z',
};

function ask(expression: string, change: Partial<PolicyRequest> = {}, units = 20_000): Verdict {
  const condition = compileCondition(expression);
  if ('problems' in condition) throw new Error(`refused: ${condition.problems.join(' ')}`);
  return condition.evaluate(toSubject({ ...REQUEST, ...change }), units);
}

function problemsOf(expression: string): readonly string[] {
  const condition = compileCondition(expression);
  return 'problems' in condition ? condition.problems : [];
}

describe('an accepted condition', () => {
  test.each([
    // Numbers of the request are doubles and literals may be ints. Doubles and ints compare and compute with each
    // other.
    'params.amount == 5000',
    'params.amount == 5000.0',
    'params.amount > 4999',
    'params.amount > 4999.5',
    'params.amount >= 5000 && params.amount <= 5000.0',
    'params.amount * 2 == 10000',
    'params.amount / 2 == 2500.0',
    'params.amount * 2 == 10000.0 && 5000 == params.amount && 2 == 2.0 && 1 + 1.5 == 2.5',
    'params.amount in [1, 5000.0]',
    'params.amount % 2 == 0',
    'params.amount + 1 > 5000',
    '-params.amount < 0',
    'params.amount in [1, 5000]',
    'params.amount != 5001',
    'params.half == 0.5',
    '7 / 2 == 3',
    '7.0 / 2.0 == 3.5',
    'params.express',
    '!(params.express && false)',
    'params.note == null',
    'params.amount != null',
    "params.currency in ['EUR', 'USD']",
    "'city' in params.address",
    "!('street' in params.address)",
    "params['address']['a-b'] == 1",
    "params.tags == ['a', 'b']",
    'params.items[1].price == 30',
    "params.address == {'a-b': 1, 'city': 'Ulm'}",
    "params.amount > {'EUR': 1000, 'USD': 9000}[params.currency]",
    'has(params.note) && !has(params.missing)',
    'params.items.all(item, item.price >= 10)',
    'params.items.exists(item, has(item.gift) && item.gift)',
    'params.items.exists_one(item, item.price > 20)',
    'params.items.map(item, item.price) == [10, 30]',
    'params.items.map(item, item.price > 20, item.price)[0] == 30',
    'params.items.filter(item, item.price > 20).size() == 1',
    "params.address.exists(name, name == 'city')",
    'size(params.tags) == 2 && size(params.address) == 2',
    "size('a😀b') == 3",
    "params.to.endsWith('@example.com') && params.to.startsWith('ann')",
    "params.to.contains('@') && params.to.indexOf('@') == 3",
    "params.to.split('@')[1] == 'example.com'",
    "params.to.substring(0, 3) == 'ann'",
    "'ÄBC'.lowerAscii() == 'Äbc' && ' x '.trim() == 'x' && 'abc'.upperAscii() == 'ABC'",
    "params.to.matches('^[a-z]+@example\\\\.com$')",
    "'xay'.matches('a')",
    "string(params.amount) == '5000' && int('12') == 12 && double('1.5') == 1.5 && bool('true')",
    "action == 'payments.refund' && action.startsWith('payments.')",
    "source == 'billing' && source_type == 'ai_agent' && risk_tier in ['low', 'medium'] && proof_tier == 'none'",
    "agent.name == 'refund-bot' && agent.labels.team == 'billing' && agent.risk_tier == 'low'",
    "metadata.ticket == 'T-1'",
    "now > timestamp('2026-01-01T00:00:00Z') && now - duration('1h') < now",
    "now - timestamp('2026-11-20T05:00:00+00:00') == duration('90m')",
    'now.getHours() == 6 && now.getMinutes() == 30 && now.getDayOfWeek() == 5 && now.getFullYear() == 2026',
    "now.getHours('Europe/Berlin') == 7 && now.getDayOfYear() == 323",
    "now.getHours('America/New_York') == 1 && now.getMonth() == 10 && now.getDate() == 20",
    'params.express ? params.amount > 1 : false',
    // An error is ignored when the other side decides the result.
    'params.missing > 1 || params.express',
    '!(params.missing > 1 && !params.express)',
    'params.items.exists(item, item.gift)',
    "// a comment\nparams.currency == 'EUR'",
  ])('%s is true', (expression) => {
    expect(ask(expression)).toBe(true);
  });

  test.each([
    "params.currency == 'USD'",
    'params.amount == "5000"',
    'params.amount > 5000',
    'params.tags == []',
    "now.getHours('Europe/Berlin') < 7",
    'has(params.toString)',
    'has(params.__proto__)',
    "'toString' in params",
    "'length' in params.address",
    "params.address == {'city': 'Ulm'}",
  ])('%s is false', (expression) => {
    expect(ask(expression)).toBe(false);
  });

  test('reads agent as null, without members, if the request has no agent', () => {
    expect(ask('agent == null && !has(agent.name)', { agent: null })).toBe(true);
    expect(ask("agent.name == 'x'", { agent: null })).toEqual({ failure: '"agent.name" is absent' });
  });

  test('reads source as null if the request has no source', () => {
    expect(ask('source == null', { source: null })).toBe(true);
  });
});

describe('the library agrees on', () => {
  const library = new Environment()
    .registerVariable('params', 'map<string, dyn>')
    .registerVariable('now', 'google.protobuf.Timestamp');
  // The library cannot read an object with a member named constructor.
  const { constructor: _unreadable, ...params } = REQUEST.params;
  const context = { params, now: new Date(REQUEST.now) };

  test.each([
    'params.amount == 5000 && params.amount > 4999 && params.amount < 5000.5',
    'params.half + 0.5 == 1.0',
    "params.currency + '!' == 'EUR!'",
    "params.currency < 'USD' && 'a' <= 'b' && 'b' > 'a'",
    '[1, 2] + [3] == [1, 2, 3]',
    '7 / 2 == 3 && -7 / 2 == -3 && 7 % 3 == 1 && -7 % 3 == -1',
    'params.items.all(i, i.price > 5) && !params.items.all(i, i.price > 15)',
    'params.items.exists(i, i.price > 15) && params.items.exists_one(i, i.price > 15)',
    'params.items.filter(i, i.price > 15).map(i, i.price) == [30.0]',
    "params.address.map(k, k) == ['city', 'a-b']",
    'has(params.note) && !has(params.missing) && has(params.address.city)',
    "params.note == null && !(params.note == 1) && params.amount != 'x'",
    "size(params.to) == 15 && 'ab'.size() == 2 && size(params.items) == 2",
    "params.to.contains('@') && params.to.split('@')[0] == 'ann' && params.to.substring(4) == 'example.com'",
    "int(params.half) == 0 && int(2.9) == 2 && double(3) == 3.0 && string(5.0) == '5' && string(true) == 'true'",
    "timestamp('2026-11-20T06:30:00Z') == now && now + duration('1h30m') == timestamp('2026-11-20T08:00:00Z')",
    'now.getMonth() == 10 && now.getDayOfMonth() == 19 && now.getDate() == 20 && now.getSeconds() == 0',
    "duration('90m').getHours() == 1 && duration('90m').getMinutes() == 90",
    'true ? params.express : false',
    'params.missing || params.express',
    '!(false && params.missing)',
  ])('%s', (expression) => {
    expect(library.evaluate(expression, context)).toBe(true);
    expect(ask(expression)).toBe(true);
  });
});

describe('a condition without a result', () => {
  test.each([
    ['params.missing > 1', '"params.missing" is absent'],
    ['params.address.city.street == 1', '"params.address.city.street" is absent'],
    ['params.items[2].price > 1', '"params.items[2]" is absent'],
    ['params.items[-1].price > 1', '"params.items[-1]" is absent'],
    ['params.items[0.5].price > 1', '"params.items[0.5]" is absent'],
    ["params.tags['length'] > 1", '"params.tags[\'length\']" is absent'],
    ['params.toString == 1', '"params.toString" is absent'],
    ['params.__proto__ == 1', '"params.__proto__" is absent'],
    ["params['__proto__'] == 1", '"params[\'__proto__\']" is absent'],
    ['params.address.constructor == 1', '"params.address.constructor" is absent'],
    ['params.currency.length == 3', '"params.currency.length" is absent'],
    ['params.tags.length == 2', '"params.tags.length" is absent'],
    ['has(params.currency.length)', 'has() looks into a map, not into string'],
    ["params.amount > '5000'", 'double and string have no order'],
    ['params.amount', 'the condition is double, not bool'],
    ['params.note', 'the condition is null, not bool'],
    ['!params.amount', '"!" needs a bool, not double'],
    ['params.amount && true', '"&&" needs a bool, not double'],
    ['params.missing || false', '"params.missing" is absent'],
    ['params.items.all(item, item.gift)', '"item.gift" is absent'],
    ["params.amount.startsWith('5')", 'a string is needed, not double'],
    ["params.amount.matches('5')", 'matches() needs a string, not double'],
    ["params.currency + params.amount == 'EUR5000'", '"+" does not take string and double'],
    ['1 / 0 == 1', 'division by zero'],
    ['params.half / 0 <= 1', 'division by zero'],
    ['params.half / -0.0 <= 1', 'division by zero'],
    ['1e308 * 10.0 > 1', 'a result is not a finite number'],
    ["double('1e999') > 1", 'double() cannot convert this string'],
    ["!(now - duration('99999999999999h') < now)", 'a timestamp is out of range'],
    ['params.half % 2 == 0', '"%" needs whole numbers and a divisor other than zero'],
    ['9223372036854775807 + 1 > 0', 'integer overflow'],
    [
      'timestamp(params.currency) < now',
      'timestamp() needs an RFC 3339 text with a time zone, or seconds since the epoch',
    ],
    [
      "timestamp('2026-11-20T06:30:00') < now",
      'timestamp() needs an RFC 3339 text with a time zone, or seconds since the epoch',
    ],
    ['params.amount in params.currency', '"in" needs a list or a map, not string'],
    ["{params.currency: 1}['USD'] == 1", '"{params.currency: 1}[\'USD\']" is absent'],
  ])('%s', (expression, failure) => {
    expect(ask(expression)).toEqual({ failure });
  });

  test('a parameter may have the name of a JavaScript object member, and is only that parameter', () => {
    expect(ask("params.constructor == 'mine' && has(params.constructor)")).toBe(true);
    expect(
      ask("size(params.address) == 1 && params.address.constructor == {'prototype': 1}", {
        params: { address: { constructor: { prototype: 1 } } },
      }),
    ).toBe(true);
    const odd = JSON.parse('{"__proto__": {"admin": true}}');
    expect(ask('has(params.admin)', { params: odd })).toBe(false);
    expect(ask('params.__proto__.admin', { params: odd })).toBe(true);
  });
});

describe('a condition that is refused on save, with the place of the problem', () => {
  test.each([
    ['params.amount >', 'line 1, column 16: Unexpected token: EOF'],
    ["params.env == 'x' &&\n  parms.y == 1", 'line 2, column 3: Unknown variable: parms'],
    ['size(action) + 1', 'line 1, column 1: A condition must be true or false, but this one is int.'],
    ['action', 'line 1, column 1: A condition must be true or false, but this one is string.'],
    ['size(action) > "a"', 'line 1, column 1: no such overload: int > string'],
    [
      'params.a.all(x, x.all(y, y > 1))',
      'line 1, column 17: all() is not allowed inside another walk, because its cost would be squared.',
    ],
    [
      'params.a.map(x, params.b.filter(y, true))[0].exists(z, z)',
      'line 1, column 17: filter() is not allowed inside another walk, because its cost would be squared.',
    ],
    [
      'params.a.all(params, true)',
      'line 1, column 14: "params" is a variable of the request; choose another name.',
    ],
    ['params.a.matches(params.b)', 'line 1, column 18: The pattern of matches() must be a string literal.'],
    ["params.a.matches('(')", 'line 1, column 18: The pattern is not a regular expression in RE2 syntax'],
    ["params.a.matches('(a)\\\\1')", 'RE2 syntax'],
    ["params.a.matches('(?=a)')", 'RE2 syntax'],
    ["params.a.matches('(a{30}){30}')", 'The pattern repeats too much'],
    [`params.a.matches('${'a{1000}'.repeat(28)}')`, 'The pattern repeats too much'],
    [`params.a.matches('${'a'.repeat(201)}')`, 'A pattern has at most 200 characters.'],
    ["risk_tier >= 'high'", 'risk_tier has no order here'],
    ["'high' <= risk_tier", 'risk_tier has no order here'],
    ["risk_tier == 'hgih'", "risk_tier is never 'hgih'"],
    ["source_type in ['ai_agent', 'bot']", "line 1, column 29: source_type is never 'bot'"],
    ['agent.nmae == "x"', 'agent has no member "nmae"'],
    ['has(agent.nmae)', 'agent has no member "nmae"'],
    ['5u == 5u', 'Bytes and unsigned integers are not available'],
    ["b'x' == b'x'", 'Bytes and unsigned integers are not available'],
    ['99999999999999999999 > 1', 'An integer has at most 64 bits.'],
    ['type(action) == string', 'The function type() with 1 arguments is not available'],
    ['cel.bind(x, 1, x == 1)', 'bind() with 3 arguments is not available'],
    ['[1, 2].join() == "12"', 'join() with 0 arguments is not available'],
    ['now.getHours(params.zone) == 1', 'A time zone is a literal'],
    ["now.getHours('Europe/Nowhere') == 1", 'A time zone is a literal'],
    [`params.a == [${Array.from({ length: 201 }, () => '1').join(',')}]`, 'Exceeded maxListElements'],
    [`${'('.repeat(40)}true${')'.repeat(40)}`, 'Exceeded maxDepth'],
    [`true${'||true'.repeat(260)}`, 'Exceeded maxAstNodes'],
    [`'${'a'.repeat(2000)}' == action`, 'An expression has at most 2000 characters.'],
    ['', 'Unexpected token: EOF'],
  ])('%s', (expression, problem) => {
    expect(problemsOf(expression).join('\n')).toContain(problem);
  });

  test('reports all problems at once, in the order of their places', () => {
    expect(problemsOf("risk_tier == 'x' || agent.foo == 1 || params.a.matches(params.b)")).toHaveLength(3);
  });
});

describe('the cost of a condition', () => {
  test('is one step per character for a pattern that takes other engines seconds', () => {
    expect(ask("params.text.matches('^(a+)+$')", { params: { text: `${'a'.repeat(27)}!` } })).toBe(false);
    expect(ask("params.text.matches('^(a+)+$')", { params: { text: 'a'.repeat(28) } })).toBe(true);
  });

  test('makes a list longer than the walking limit fail, whatever the other side is', () => {
    const params = { items: Array.from({ length: 3_000 }, () => 1) };
    const failure = { failure: 'all() walks at most 1000 elements' };
    expect(ask('params.items.all(i, i == 1)', { params })).toEqual(failure);
    expect(ask('params.items.all(i, i == 1) || true', { params })).toEqual(failure);
    expect(ask('size(params.items) == 3000', { params })).toBe(true);
  });

  test('makes a map with more members than the limit fail', () => {
    const params = { map: Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`k${index}`, 1])) };
    expect(ask("params.map.exists(k, k == 'k0')", { params })).toEqual({
      failure: 'exists() walks at most 1000 elements',
    });
  });

  test.each([
    ['params.items.all(i, i in params.items)', { items: Array.from({ length: 1_000 }, (_, i) => i) }],
    [
      'params.items.all(i, params.text.contains(i))',
      { items: Array(1_000).fill('b'), text: `${'a'.repeat(60_000)}b` },
    ],
    ['params.text.contains(params.other)', { text: 'a'.repeat(65_000), other: `b${'a'.repeat(32_000)}` }],
    ["params.items.all(i, !i.matches('(x+x+)+y'))", { items: Array(1_000).fill('x'.repeat(200)) }],
    [
      'params.items == params.others || true',
      { items: Array(50_000).fill(1), others: Array(50_000).fill(1) },
    ],
    ['(params.items + params.items + params.items).size() > 1', { items: Array(9_000).fill(1) }],
    ["params.text.split('')[0] == 'a'", { text: 'a'.repeat(30_000) }],
  ])('cuts off %s', (expression, params) => {
    expect(ask(expression, { params })).toEqual({ failure: 'the condition costs more than allowed' });
  });

  test('keeps texts from growing without limit', () => {
    const params = { text: 'a'.repeat(40_000) };
    expect(ask('(params.text + params.text).size() > 1', { params })).toEqual({
      failure: 'a text is longer than 65536 characters',
    });
  });

  test('allows a thousand elements with a plain condition', () => {
    const params = { items: Array.from({ length: 1_000 }, (_, price) => ({ price, currency: 'EUR' })) };
    expect(
      ask("params.items.all(i, i.price >= 0 && i.price < 1000 && i.currency == 'EUR')", { params }),
    ).toBe(true);
  });
});

test('a condition reads the request and does not change it', () => {
  const frozen = structuredClone(REQUEST);
  function freeze(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    Object.freeze(value);
    for (const property of Object.values(value)) freeze(property);
  }
  freeze(frozen);
  expect(ask("params.items.map(i, i.price) == [10, 30] && (params.tags + ['c']).size() == 3", frozen)).toBe(
    true,
  );
  expect(frozen).toEqual(REQUEST);
});
