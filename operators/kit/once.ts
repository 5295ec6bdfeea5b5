/** A function that makes its value when it is first called. For what is large and not always needed. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The same for each object. The value goes with its object. */
export function memoizePer<Of extends object, Value>(make: (of: Of) => Value): (of: Of) => Value {
  const known = new WeakMap<Of, Value>();
  return (of) => getOrInsert(known, of, make);
}

/** The value of a key, which is made where there is none. */
export function getOrInsert<Key, Value>(
  known: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: (key: Key) => Value,
): Value {
  let value = known.get(key);
  if (value === undefined) known.set(key, (value = make(key)));
  return value;
}
