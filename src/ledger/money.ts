const digits = 9;
const unit = 10n ** BigInt(digits);

/** A sum of money in billionths. Rounded up if it has more digits. */
export function billionths(sum: number | string): bigint {
  const [number = '', exponent = '0'] = String(sum).split('e');
  const [whole = '', fraction = ''] = number.split('.');
  const places = digits + Number(exponent) - fraction.length;
  const value = BigInt(whole + fraction);
  if (places >= 0) return value * 10n ** BigInt(places);
  const divisor = 10n ** BigInt(-places);
  return (value + divisor - 1n) / divisor;
}

/** A sum as people write it: `0.0015`. */
export function moneyText(sum: bigint): string {
  const places = String(sum % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return places === '' ? String(sum / unit) : `${sum / unit}.${places}`;
}
