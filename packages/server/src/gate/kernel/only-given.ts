/**
 * These members without those that are undefined. So an omitted member keeps its default, and a change leaves it
 * untouched.
 *
 * @example listIntents(gate, caller, { ...page, ...onlyGiven({ status }) })
 */
export function onlyGiven<T extends object>(members: T): OnlyGiven<T> {
  const given: Partial<T> = {};
  for (const name in members) if (members[name] !== undefined) given[name] = members[name];
  return given as OnlyGiven<T>;
}

type OnlyGiven<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
