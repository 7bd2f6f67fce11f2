def work(x: int) -> int:
    return x
