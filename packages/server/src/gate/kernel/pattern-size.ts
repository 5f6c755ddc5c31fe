/**
 * Estimates without compiling how many instructions a regular expression in RE2 syntax becomes. `a{1000}` is seven
 * characters but a thousand instructions. The engine creates all instructions before anybody can count them, so a row
 * of thirty such pieces would keep it busy. For a pattern that compiles, the estimate is never too low and often a
 * little too high.
 *
 * @example estimatePatternSize('(?:a{30}){30}') // 902: 30 × 30, plus two for the beginning and the end
 */
export function estimatePatternSize(source: string): number {
  return new PatternReader(source).size();
}

/** `{n}`, `{n,}`, `{n,m}`. Any other brace is an ordinary character. */
const REPETITION = /\{(\d+)(?:(,)(\d*))?\}/y;
/** A size beyond what the engine accepts. The exact number no longer matters. */
const ENDLESS = 1e9;

interface Group {
  captures: boolean;
  /** Size of the complete alternatives. */
  before: number;
  /** The number of alternatives, and whether each is one character: such alternatives become one class. */
  alternatives: number;
  areCharacters: boolean;
  /** Size of the alternative that is being read. */
  size: number;
  atoms: number;
  /** Size of the latest item, which a repetition repeats. */
  last: number;
}

class PatternReader {
  readonly #source: string;
  #at = 0;
  readonly #outer: Group[] = [];
  #group = openGroup(false);

  constructor(source: string) {
    this.#source = source;
  }

  size(): number {
    while (this.#at < this.#source.length) this.#readOne();
    while (this.#outer.length > 0) this.#closeGroup();
    return Math.min(ENDLESS, sizeOf(this.#group) + 2);
  }

  #readOne(): void {
    const character = this.#source[this.#at];
    if (character === '{' && this.#readRepetition()) return;
    this.#at += 1;
    switch (character) {
      case '\\':
        this.#readEscape();
        break;
      case '[':
        this.#readClass();
        break;
      case '(':
        this.#openGroup();
        break;
      case ')':
        this.#closeGroup();
        break;
      case '|':
        endAlternative(this.#group);
        break;
      case '*':
      case '+':
      case '?':
        this.#grow(2);
        break;
      case '^':
      case '$':
        this.#addPosition();
        break;
      default:
        this.#add(1);
        break;
    }
  }

  #add(size: number): void {
    const group = this.#group;
    group.size += size;
    group.atoms += 1;
    group.last = size;
  }

  /** A position between characters is not a character. */
  #addPosition(): void {
    this.#add(1);
    this.#group.atoms += 1;
  }

  /** Grows the latest item. */
  #grow(by: number): void {
    const group = this.#group;
    group.size = Math.min(ENDLESS, group.size + by);
    group.last = Math.min(ENDLESS, group.last + by);
    // The repeated item is no longer a single character.
    group.atoms += 1;
  }

  #readRepetition(): boolean {
    REPETITION.lastIndex = this.#at;
    const found = REPETITION.exec(this.#source);
    if (!found) return false;
    this.#at = REPETITION.lastIndex;
    const [, least = '0', comma, most = ''] = found;
    const { last } = this.#group;
    const copies = Math.max(Number(least), Number(most), 1);
    // A fork comes before each optional copy.
    const forks = comma === undefined ? 0 : copies;
    this.#grow(last * (copies - 1) + forks + 2);
    return true;
  }

  #readEscape(): void {
    const kind = this.#source[this.#at];
    this.#at += 1;
    if (kind === 'Q') {
      const end = this.#source.indexOf('\\E', this.#at);
      const literal = this.#source.slice(this.#at, end < 0 ? undefined : end);
      this.#at = end < 0 ? this.#source.length : end + 2;
      for (const _ of literal) this.#add(1);
      return;
    }
    if (kind !== undefined && 'AbBzZ'.includes(kind)) {
      this.#addPosition();
      return;
    }
    // Skips `\p{…}` and `\x{…}`. For `\pL`, the letter stays and counts as one item more.
    if ((kind === 'p' || kind === 'P' || kind === 'x') && this.#source[this.#at] === '{') {
      const end = this.#source.indexOf('}', this.#at);
      this.#at = end < 0 ? this.#source.length : end + 1;
    }
    this.#add(1);
  }

  /** One instruction, whatever it contains. */
  #readClass(): void {
    if (this.#source[this.#at] === '^') this.#at += 1;
    // At the beginning of a class, `]` is an ordinary character.
    if (this.#source[this.#at] === ']') this.#at += 1;
    for (; this.#at < this.#source.length; this.#at += 1) {
      const character = this.#source[this.#at];
      if (character === ']') break;
      if (character === '\\') this.#at += 1;
      else if (character === '[' && this.#source[this.#at + 1] === ':') {
        const end = this.#source.indexOf(':]', this.#at + 2);
        if (end >= 0) this.#at = end + 1;
      }
    }
    this.#at += 1;
    this.#add(1);
  }

  #openGroup(): void {
    const special = /\?(?:P?<\w*>|[a-zA-Z-]*[:)])/y;
    special.lastIndex = this.#at;
    const [words = ''] = special.exec(this.#source) ?? [];
    this.#at += words.length;
    // `(?i)` only sets flags for what follows.
    if (words.endsWith(')')) return;
    this.#outer.push(this.#group);
    this.#group = openGroup(!words.endsWith(':'));
  }

  #closeGroup(): void {
    const outer = this.#outer.pop();
    // The parenthesis closes nothing. The compiler reports that.
    if (!outer) return;
    const inner = this.#group;
    this.#group = outer;
    this.#add(sizeOf(inner) + (inner.captures ? 2 : 0));
    // Counts as more than one character unless the group clearly is one.
    if (inner.captures || !isCharacter(inner)) outer.atoms += 1;
  }
}

function openGroup(captures: boolean): Group {
  return { captures, before: 0, alternatives: 0, areCharacters: true, size: 0, atoms: 0, last: 0 };
}

function endAlternative(group: Group): void {
  group.before += Math.max(1, group.size) + 1;
  group.alternatives += 1;
  group.areCharacters &&= group.atoms === 1 && group.size === 1;
  group.size = 0;
  group.atoms = 0;
  group.last = 0;
}

function isCharacter(group: Group): boolean {
  return group.areCharacters && group.atoms === 1 && group.size === 1;
}

function sizeOf(group: Group): number {
  if (group.alternatives === 0) return Math.max(1, group.size);
  return isCharacter(group) ? 1 : group.before + Math.max(1, group.size);
}
