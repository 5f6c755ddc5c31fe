/**
 * These members without those that are undefined: what nobody gave stays away, so that a default stands and a change
 * touches nothing else.
 *
 * @example listIntents(gate, caller, { ...page, ...onlyGiven({ status }) })
 */
export function onlyGiven<T extends object>(members: T): OnlyGiven<T> {
  const given: Partial<T> = {};
  for (const name in members) if (members[name] !== undefined) given[name] = members[name];
  return given as OnlyGiven<T>;
}

type OnlyGiven<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
