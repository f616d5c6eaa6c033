import type { Condition, Item, ItemChange, ItemKey, ItemStore, WriteResult } from '../../../../lib/ports/item-store.ts';

interface StoreWrite {
  readonly operation: 'put' | 'update';
  readonly key: ItemKey;
}

/** Hands every call on; subclasses change what they are about. */
class ForwardingItemStore implements ItemStore {
  protected readonly target: ItemStore;

  constructor(target: ItemStore) {
    this.target = target;
  }

  get: ItemStore['get'] = (key) => this.target.get(key);
  query: ItemStore['query'] = (query) => this.target.query(query);
  delete: ItemStore['delete'] = (key) => this.target.delete(key);
  queryDue: ItemStore['queryDue'] = (query) => this.target.queryDue(query);

  put(item: Item, condition?: Condition): Promise<WriteResult> {
    return this.target.put(item, condition);
  }

  update(key: ItemKey, change: ItemChange, condition: Condition): Promise<WriteResult> {
    return this.target.update(key, change, condition);
  }
}

/** A store whose writes can be held on their way there. */
export class GatedItemStore extends ForwardingItemStore {
  private held: ((write: StoreWrite) => boolean) | undefined;
  private readonly waiting: (() => void)[] = [];

  /** Holds the writes that match from now on. */
  hold(matches: (write: StoreWrite) => boolean): void {
    this.held = matches;
  }

  /** How many writes are held. */
  get heldWrites(): number {
    return this.waiting.length;
  }

  /** Lets every held write go on. */
  release(): void {
    this.held = undefined;
    for (const go of this.waiting.splice(0)) go();
  }

  override async put(item: Item, condition?: Condition): Promise<WriteResult> {
    await this.pass({ operation: 'put', key: item });
    return super.put(item, condition);
  }

  override async update(key: ItemKey, change: ItemChange, condition: Condition): Promise<WriteResult> {
    await this.pass({ operation: 'update', key });
    return super.update(key, change, condition);
  }

  private async pass(write: StoreWrite): Promise<void> {
    if (this.held?.(write)) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}

/**
 * A store whose answer to a write is lost: the client repeats the request and gets the answer to the repetition.
 * It spares a write that follows a repeated one of the same item, so that whoever looks again gets on.
 */
export class RepeatingItemStore extends ForwardingItemStore {
  private readonly repeated = new Set<string>();

  override async put(item: Item, condition?: Condition): Promise<WriteResult> {
    return this.perform(item, () => super.put(item, condition));
  }

  override async update(key: ItemKey, change: ItemChange, condition: Condition): Promise<WriteResult> {
    return this.perform(key, () => super.update(key, change, condition));
  }

  private async perform({ pk, sk }: ItemKey, write: () => Promise<WriteResult>): Promise<WriteResult> {
    const name = `${pk} ${sk}`;
    if (this.repeated.delete(name)) return write();
    this.repeated.add(name);
    await write();
    return write();
  }
}

/** A store that fails the calls that match, before or after their effect. */
export class FailingItemStore extends ForwardingItemStore {
  private readonly fails: (write: StoreWrite) => 'before' | 'after' | undefined;

  constructor(target: ItemStore, fails: (write: StoreWrite) => 'before' | 'after' | undefined) {
    super(target);
    this.fails = fails;
  }

  override put(item: Item, condition?: Condition): Promise<WriteResult> {
    return this.attempt({ operation: 'put', key: item }, () => super.put(item, condition));
  }

  override update(key: ItemKey, change: ItemChange, condition: Condition): Promise<WriteResult> {
    return this.attempt({ operation: 'update', key }, () => super.update(key, change, condition));
  }

  private async attempt(write: StoreWrite, perform: () => Promise<WriteResult>): Promise<WriteResult> {
    const when = this.fails(write);
    if (when === 'before') throw new Error('The store is down.');
    const result = await perform();
    if (when === 'after') throw new Error('The answer of the store was lost.');
    return result;
  }
}
